import { expect, it } from 'vitest';
import { listed, parsed } from '../support/history.ts';
import { freshWorld } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { startTerminal } from '../support/terminal.ts';

const BOLT = ['items', 'create', '--name', 'Bolt'];

async function atSandbox(faults?: string) {
  const writes: string[] = [];
  const { baseUrl } = await startTestSandbox({
    faults,
    onRequest: ({ method, path }) => method !== 'GET' && writes.push(`${method} ${path}`),
  });
  return { world: await freshWorld({ PROC_BASE_URL: baseUrl }), writes };
}

it.each([
  ['n\r', 2, 1],
  ['y\r', 0, 2],
] as const)(
  'a repeated create asks for confirmation; answered %j',
  async (keys, exitCode, sent) => {
    const { world, writes } = await atSandbox();
    parsed(await world.run(BOLT));
    // --yes confirms a write, but does not confirm sending it a second time.
    const pty = startTerminal(world, [...BOLT, '--yes'], { cols: 120 });
    await pty.waitFor('The same request was sent just now and created itm-1. Send it again?');
    expect(writes).toHaveLength(1);
    pty.type(keys);
    expect(await pty.exited, pty.text()).toBe(exitCode);
    expect(writes).toHaveLength(sent);
  },
);

it('a repeat of a write that may have had an effect says so', async () => {
  const { world, writes } = await atSandbox('reset-after=100%');
  await world.run(BOLT);
  const [entry] = await listed(world);
  const pty = startTerminal(world, [...BOLT, '--yes'], { cols: 120 });
  await pty.waitFor(`its outcome is unknown (${entry!.id}). Send it anyway?`);
  pty.type('\u0003');
  expect(await pty.exited).toBe(130);
  expect(writes).toHaveLength(1);
});
