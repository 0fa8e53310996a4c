import { expect, it } from 'vitest';
import { startPty } from '../support/pty.ts';
import { freshWorld } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

it('shows a line of a Windows-1252 file and asks', async () => {
  await using sandbox = await loggedSandbox();
  const world = await freshWorld(sandbox.target);
  await world.file('old.csv', Buffer.from('code,name\nE-1,Ca\xf1er\xeda\n', 'latin1'));
  const terminal = startPty(world, ['items', 'import', 'old.csv', '--dry-run', '-o', 'json']);
  await terminal.waitFor('As Windows-1252, line 2 reads: E-1,Cañería');
  await terminal.waitFor('Read it as Windows-1252?');
  terminal.type('\r');
  expect(await terminal.exited, terminal.text()).toBe(0);
  expect(terminal.text()).toContain('"create": 1');
});
