import { afterEach, beforeEach, expect, it } from 'vitest';
import { assumeFirstRuns } from '../support/in-process.ts';
import { freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { startTerminal } from '../support/terminal.ts';

assumeFirstRuns();

const DOWN = '\u001b[B';

let sandbox: LoggedSandbox;
let here: World;

beforeEach(async () => {
  sandbox = await loggedSandbox();
  here = await freshWorld(sandbox.target);
});
afterEach(() => sandbox.close());

const terminalOf = (...args: string[]) => startTerminal(here, args, { cols: 120 });

it('asks which number an unclear amount is, unless a flag says it', async () => {
  await here.file(
    'a.csv',
    'reference;account;amount;contractId\nR-1;1;1.500;c\nR-2;1;2.000,50;c\n',
  );
  const terminal = terminalOf('imputations', 'import', 'a.csv');
  await terminal.waitFor('Which number is 1.500 in amount?');
  await terminal.waitFor('1.500 (--decimal .)');
  await terminal.waitFor('1500 (--decimal ,)');
  terminal.type(`${DOWN}\r`);
  await terminal.waitFor('Save this map to a.map.json?');
  terminal.type('y\r');
  await terminal.waitFor('proc imputations import a.csv --map-file a.map.json');
  await terminal.waitFor('amount 2000.5');
  await terminal.waitFor('Create 2 imputations');
  terminal.type('n\r');
  await terminal.exited;
  const saved = terminalOf('imputations', 'import', 'a.csv', '--map-file', 'a.map.json');
  await saved.waitFor('Create 2 imputations');
  expect(saved.text()).not.toContain('Which number');
  saved.type('n\r');
  await saved.exited;
});

it('asks for what is required, then for the other columns, and offers to save the map', async () => {
  await here.file('case.csv', 'CODE,Name,"Unit of\nMeasure",Notes\nK-1,Bolt,EA,n\n');
  const plain = terminalOf('items', 'import', 'case.csv');
  await plain.waitFor('Create 1 item');
  expect(plain.text()).not.toMatch(/Which|Save this map/);
  expect(plain.text()).toContain('unitOfMeasure EA');
  plain.type('n\r');
  await plain.exited;
  await here.file('odd.csv', 'Zeta,Code,Label\nx,Q-1,Bolt\n');
  const terminal = terminalOf('items', 'import', 'odd.csv');
  await terminal.waitFor('Which column fills name?');
  await terminal.waitFor('Label  (Bolt)');
  terminal.type(`${DOWN}${DOWN}\r`);
  await terminal.waitFor('Which other columns do you want to send?');
  terminal.type(' \r');
  await terminal.waitFor('Which field does Zeta fill?');
  terminal.type('\r');
  await terminal.waitFor('Save this map to odd.map.json?');
  terminal.type('n\r');
  await terminal.waitFor('--map name=Label --map description=Zeta');
  await terminal.waitFor('Create 1 item from odd.csv');
  expect(terminal.text()).toContain('description x');
  terminal.type('n\r');
  expect(await terminal.exited).toBe(2);
});
