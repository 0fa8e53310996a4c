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

it('asks which number an unclear amount is, only if no cell decides', async () => {
  await here.file('a.csv', 'reference;amount;contractId\nR-1;1.500;c\nR-2;2.000;c\n');
  const terminal = terminalOf('imputations', 'import', 'a.csv', '--save-map', 'map.json');
  await terminal.waitFor('Which number is 1.500 in amount?');
  await terminal.waitFor('1500 (the point groups thousands)');
  await terminal.waitFor('1.500 (the point is the decimal mark)');
  terminal.type('\r');
  await terminal.waitFor("--decimal ','".replaceAll("'", ''));
  await terminal.waitFor('amount 1500');
  await terminal.waitFor('Create 2 imputations');
  terminal.type('n\r');
  await terminal.exited;
  await here.file('b.csv', 'reference;amount;contractId\nR-1;1.500;c\nR-2;2.000,50;c\n');
  const decided = terminalOf('imputations', 'import', 'b.csv');
  await decided.waitFor('Create 2 imputations');
  expect(decided.text()).not.toContain('Which number');
  decided.type('n\r');
  await decided.exited;
});

it('maps headers that differ only in case or hold a line break, and asks for the rest that is required', async () => {
  await here.file('case.csv', 'CODE,Name,"Unit of\nMeasure"\nK-1,Bolt,EA\n');
  const plain = terminalOf('items', 'import', 'case.csv');
  await plain.waitFor('Create 1 item');
  expect(plain.text()).not.toContain('Which column');
  expect(plain.text()).toContain('unitOfMeasure EA');
  plain.type('n\r');
  await plain.exited;
  await here.file('odd.csv', 'Zeta,Code,Label\nx,Q-1,Bolt\n');
  const terminal = terminalOf('items', 'import', 'odd.csv');
  await terminal.waitFor('Which column fills name?');
  await terminal.waitFor('Label  (Bolt)');
  terminal.type(`${DOWN}${DOWN}\r`);
  await terminal.waitFor('proc items import odd.csv --map name=Label');
  await terminal.waitFor('Create 1 item from odd.csv');
  terminal.type('n\r');
  expect(await terminal.exited).toBe(2);
});
