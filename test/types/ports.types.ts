// Compiled, never run: `tsc` fails if one of these lines is no longer an error.
import { command } from '../../src/core/command.ts';
import type { Ports } from '../../src/core/ports.ts';
import type { Result } from '../../src/core/result.ts';
import type { Target } from '../../src/core/service-target.ts';

const data = {
  path: ['x'],
  prints: 'nothing',
  summary: 'x',
  examples: [],
} as const;
const none: Result = { kind: 'none' };

async function saysMore(_: Ports<'io' | 'store'>): Promise<void> {}

export const reads = command({
  ...data,
  changes: 'nothing',
  needs: ['io', 'api'],
  async run(_, ports) {
    ports.io.say({ kind: 'notice', text: 'x' });
    await ports.api.target();
    // @ts-expect-error a port that the command does not need
    await ports.store.scope();
    // @ts-expect-error a helper that needs a port which the command does not
    await saysMore(ports);
    return none;
  },
});

export const portless = command({
  ...data,
  changes: 'nothing',
  needs: [],
  // @ts-expect-error a command without needs is given no port
  run: async (_, { io }) => (io === undefined ? none : none),
});

export function targetsHold(target: Target): void {
  // @ts-expect-error handlers see a target without its credential
  void target.credential;
}
