import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startPty } from '../support/pty.ts';
import { freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { startTerminal } from '../support/terminal.ts';

const UP = '\u001b[A';
const DOWN = '\u001b[B';

async function open(): Promise<{ here: World; sandbox: LoggedSandbox } & AsyncDisposable> {
  const sandbox = await loggedSandbox();
  const here = await freshWorld(sandbox.target);
  return { here, sandbox, [Symbol.asyncDispose]: () => sandbox.close() };
}

async function items(here: World): Promise<unknown> {
  const listed = await here.run(['items', 'list', '-o', 'json']);
  return JSON.parse(listed.stdout).map(({ code, name }: Record<string, string>) => [code, name]);
}

it('asks field by field about unknown headers, back and forth, on a real terminal', async () => {
  await using world = await open();
  const { here } = world;
  await here.file('odd.csv', 'Alpha,Beta,Gamma\nBolt,Q-1,x\nNut,Q-2,y\n');
  const flags = ['items', 'import', 'odd.csv', '--save-map', 'm.json'];
  const terminal = startPty(here, flags, { cols: 100 });
  await terminal.waitFor('Which column fills code? (1 of 10)');
  await terminal.waitFor('Alpha  (Bolt · Nut)');
  await terminal.waitFor('Beta  (Q-1 · Q-2)');
  // "None" is selected, below the three columns. Up selects Gamma, the wrong column.
  terminal.type(`${UP}\r`);
  await terminal.waitFor('Which column fills name? (2 of 10)');
  terminal.type(`${DOWN}${DOWN}`);
  await terminal.waitFor('Back to code');
  terminal.type('\r');
  await terminal.waitFor('Which column fills code? (1 of 10)');
  // Gamma is selected now, and first. Beta is the last of the others.
  terminal.type(`${DOWN}${DOWN}\r`);
  await terminal.waitFor('Which column fills name? (2 of 10)');
  terminal.type(`${UP}${UP}${UP}\r`);
  await terminal.waitFor('Which column fills description? (3 of 10)');
  terminal.type(`${DOWN}\r`);
  await terminal.waitFor('Columns that you chose:');
  await terminal.waitFor('code ← Beta  (Q-1 · Q-2)');
  await terminal.waitFor('name ← Alpha  (Bolt · Nut)');
  await terminal.waitFor('Use these columns?');
  terminal.type('\r');
  await terminal.waitFor('--map code=Beta --map name=Alpha');
  await terminal.waitFor('Create 2 items from odd.csv');
  terminal.type('y\r');
  expect(await terminal.exited, terminal.text()).toBe(0);
  expect(await items(here)).toEqual([
    ['Q-1', 'Bolt'],
    ['Q-2', 'Nut'],
  ]);
  expect(JSON.parse(await readFile(join(here.cwd, 'm.json'), 'utf8'))).toMatchObject({
    fields: { code: { column: 'Beta' }, name: { column: 'Alpha' } },
  });
});

it('"No" to a guess leads to the questions, with the guess selected', async () => {
  await using world = await open();
  const { here } = world;
  await here.file('guess.csv', 'SKU,Product,Label\nG-1,Family,Bolt\n');
  const terminal = startTerminal(here, ['items', 'import', 'guess.csv'], { cols: 100 });
  await terminal.waitFor('name ← Product');
  await terminal.waitFor('Use these columns?');
  terminal.type('n\r');
  await terminal.waitFor('Which column fills code? (1 of 10)');
  terminal.type('\r');
  await terminal.waitFor('Which column fills name? (2 of 10)');
  terminal.type(`${DOWN}\r`);
  await terminal.waitFor('Which column fills description? (3 of 10)');
  terminal.type(`${DOWN}\r`);
  await terminal.waitFor('name ← Label  (Bolt)');
  await terminal.waitFor('Use these columns?');
  terminal.type('n\r');
  await terminal.waitFor('Which column fills code? (1 of 10)');
  terminal.type('\r');
  await terminal.waitFor('Which column fills name? (2 of 10)');
  terminal.type('\r');
  await terminal.waitFor('Which column fills description? (3 of 10)');
  terminal.type(`${DOWN}\r`);
  await terminal.waitFor('Use these columns?');
  terminal.type('\r');
  await terminal.waitFor('Create 1 item');
  terminal.type('y\r');
  expect(await terminal.exited, terminal.text()).toBe(0);
  expect(await items(here)).toEqual([['G-1', 'Bolt']]);
});

it('one of several columns with the same header can be chosen', async () => {
  await using world = await open();
  const { here } = world;
  await here.file('same.csv', 'code,Text,Text\nS-1,Bolt,Perno\n');
  const terminal = startTerminal(here, ['items', 'import', 'same.csv', '--map', 'name=#3']);
  await terminal.waitFor('Create 1 item');
  terminal.type('y\r');
  expect(await terminal.exited, terminal.text()).toBe(0);
  expect(await items(here)).toEqual([['S-1', 'Perno']]);
});
