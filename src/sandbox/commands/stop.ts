import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Result } from '../../core/result.ts';
import {
  askToStop,
  isRegistered,
  type Registration,
  runningSandbox,
  unregister,
} from '../server/registration.ts';

const STOP_POLL_MS = 25;

const STOP_MS = 10_000;

export const stop = command({
  path: ['sandbox', 'stop'],
  changes: 'local',
  prints: 'record',
  summary: 'Stop the running sandbox',
  description: 'Stops the sandbox that proc sandbox status shows. Exits 0 if none is running.',
  examples: [
    { run: 'proc sandbox stop', doc: 'stop it; its database stays' },
    { run: 'proc sandbox stop --quiet', doc: 'print nothing' },
  ],
  needs: ['self'],
  async plan(_, ports) {
    const running = await runningSandbox(ports.self.env);
    const result = (): Result =>
      running === undefined
        ? { kind: 'record', value: { stopped: false, reason: 'no sandbox was running' } }
        : {
            kind: 'record',
            idField: 'url',
            value: { stopped: true, url: running.url, pid: running.pid },
          };
    return {
      would: result,
      async apply() {
        if (running === undefined) unregister(ports.self.env);
        else await stopped(running, ports);
        return result();
      },
    };
  },
});

async function stopped(running: Registration, ports: Ports<'self'>): Promise<void> {
  await askToStop(running);
  const deadline = ports.self.clock.monotonic() + STOP_MS;
  // The sandbox removes its registration last, when the database is free again.
  while (isRegistered(ports.self.env, running.pid)) {
    if (ports.self.clock.monotonic() > deadline) {
      throw new ProcError('sandbox_conflict', `the sandbox at ${running.url} does not stop`, {
        hint: `Kill its process: kill ${running.pid}`,
      });
    }
    await ports.self.clock.sleep(STOP_POLL_MS, ports.self.signal);
  }
}
