import { expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { freshWorld } from '../support/run.ts';
import { startTerminal } from '../support/terminal.ts';

assumeFirstRuns();

it('asks about each unconfirmed row, with what is known of it', async () => {
  await using service = await startHostile((socket) => socket.write(http(500, '{}')));
  const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
  await world.file('a.csv', 'reference,account,amount\nINV-1,a,5.5\nINV-2,a,7.5\n');
  const ran = await world.run([
    'imputations',
    'import',
    'a.csv',
    '--set',
    'contractId=k-1',
    '--yes',
  ]);
  expect(ran.exitCode).toBe(9);
  const { run } = JSON.parse(ran.stdout);

  const terminal = startTerminal(world, ['imports', 'resolve', run]);
  await terminal.waitFor('row 1 (INV-1), sent 20');
  await terminal.waitFor('"amount":5.5');
  await terminal.waitFor('What was the outcome of row 1?');
  terminal.type('\u001b[B\r');
  await terminal.waitFor('Id of the created record');
  terminal.type('im-77\r');
  await terminal.waitFor('What was the outcome of row 2?');
  terminal.type('\u001b[B\r');
  await terminal.waitFor('Id of the created record');
  terminal.type('im-77\r');
  await terminal.waitFor('im-77 is the record of row 1');
  await terminal.waitFor('What was the outcome of row 2?');
  terminal.type('\r');
  expect(await terminal.exited, terminal.text()).toBe(9);
  const shown = JSON.parse((await world.run(['imports', 'show', run])).stdout);
  expect(shown).toMatchObject({ created: 1, unconfirmed: 1 });
});
