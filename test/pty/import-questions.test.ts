import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { startTerminal } from '../support/terminal.ts';
import { workbook } from '../support/workbook.ts';

const UP = '\u001b[A';
const DOWN = '\u001b[B';

let sandbox: LoggedSandbox;
let here: World;

beforeEach(async () => {
  sandbox = await loggedSandbox();
  here = await freshWorld(sandbox.target);
});
afterEach(() => sandbox.close());

async function codes(): Promise<string[]> {
  const listed = await here.run(['items', 'list', '--all', '-o', 'json']);
  return JSON.parse(listed.stdout).map(({ code }: { code: string }) => code);
}

const terminalOf = (...args: string[]) => startTerminal(here, args, { cols: 120 });

it('asks which row is the header, with the likely one selected', async () => {
  await here.file('titled.csv', 'Stock list\nPrinted on Monday\n\ncode,name\nH-1,Bolt\nH-2,Nut\n');
  const terminal = terminalOf('items', 'import', 'titled.csv');
  await terminal.waitFor('no column of titled.csv matches');
  await terminal.waitFor('Which row is the header?');
  await terminal.waitFor('row 4: code · name');
  terminal.type('\r');
  await terminal.waitFor('proc items import titled.csv --header-row 4');
  await terminal.waitFor('Create 2 items from titled.csv');
  terminal.type('y\r');
  expect(await terminal.exited, terminal.text()).toBe(0);
  expect(await codes()).toEqual(['H-1', 'H-2']);
});

it('asks which sheet, and "none" stops as without a terminal', async () => {
  const path = join(here.cwd, 'book.xlsx');
  await writeFile(
    path,
    workbook({
      Notes: [['Please read'], ['Thanks']],
      Data: [
        ['code', 'name'],
        ['S-1', 'Bolt'],
      ],
    }),
  );
  const terminal = terminalOf('items', 'import', 'book.xlsx');
  await terminal.waitFor('Which sheet has the rows?');
  await terminal.waitFor('sheet Data: code · name');
  terminal.type('\r');
  await terminal.waitFor('Create 1 item');
  terminal.type('n\r');
  await terminal.exited;
  const stopped = terminalOf('items', 'import', 'book.xlsx');
  await stopped.waitFor('Which sheet has the rows?');
  stopped.type(`${UP}\r`);
  expect(await stopped.exited).toBe(2);
  expect(sandbox.writes()).toEqual([]);
});

it('asks which of several sheets with the same columns, and offers them all', async () => {
  const rows = (code: string) => [
    ['code', 'name'],
    [code, 'Bolt'],
  ];
  await writeFile(
    join(here.cwd, 'book.xlsx'),
    workbook({ North: rows('N-1'), South: rows('S-1') }),
  );
  const terminal = terminalOf('items', 'import', 'book.xlsx');
  await terminal.waitFor('Which sheet has the rows?');
  await terminal.waitFor('all sheets, one after the other');
  terminal.type(`${DOWN}${DOWN}\r`);
  await terminal.waitFor('Create 2 items from book.xlsx');
  terminal.type('y\r');
  expect(await terminal.exited, terminal.text()).toBe(0);
  expect(await codes()).toEqual(['N-1', 'S-1']);
});

it('asks where the records of a JSON document are', async () => {
  await here.file(
    'two.json',
    JSON.stringify({ old: [{ code: 'O-1', name: 'x' }], current: [{ code: 'C-1', name: 'Bolt' }] }),
  );
  const terminal = terminalOf('items', 'import', 'two.json');
  await terminal.waitFor('two.json contains 2 arrays of objects: old, current');
  await terminal.waitFor('Where are the records?');
  terminal.type(`${DOWN}\r`);
  await terminal.waitFor('--path current');
  await terminal.waitFor('Create 1 item from two.json');
  terminal.type('y\r');
  expect(await terminal.exited, terminal.text()).toBe(0);
  expect(await codes()).toEqual(['C-1']);
});

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

it('shows rows with one code that differ side by side, and asks which one is created', async () => {
  await here.file(
    'twice.csv',
    'code,name,brand\nD-1,Bolt,Acme\nD-2,Nut,\nD-1,Bolt M8,Acme\nD-2,Nut,Acme\nD-3,Oil,\nD-3,Oil 2,\n',
  );
  const terminal = terminalOf('items', 'import', 'twice.csv');
  await terminal.waitFor('D-1 is in rows 1 and 3, which differ:');
  await terminal.waitFor('Which row of D-1 is created? (2 more like it)');
  expect(terminal.text()).toMatch(/ +#1 +#3\r?\n +name +Bolt +Bolt M8/);
  expect(terminal.text()).not.toMatch(/^ +brand +Acme/m);
  terminal.type(`${DOWN}\r`);
  await terminal.waitFor('Which row of D-2 is created? (1 more like it)');
  expect(terminal.text()).toMatch(/brand +\(empty\) +Acme/);
  terminal.type(`${DOWN}${DOWN}${DOWN}\r`);
  await terminal.waitFor('Create 3 items from twice.csv');
  terminal.type('y\r');
  expect(await terminal.exited, terminal.text()).toBe(0);
  const listed = await here.run(['items', 'list', '--all', '-o', 'json', '-q', '[].[code,name]']);
  expect(JSON.parse(listed.stdout)).toEqual([
    ['D-1', 'Bolt M8'],
    ['D-2', 'Nut'],
    ['D-3', 'Oil 2'],
  ]);
});

it('maps headers that differ only in case or hold a line break without a question; German and SAP headers with one', async () => {
  await here.file('case.csv', 'CODE,Name,"Unit of\nMeasure"\nK-1,Bolt,EA\n');
  const plain = terminalOf('items', 'import', 'case.csv');
  await plain.waitFor('Create 1 item');
  expect(plain.text()).not.toContain('Use these columns?');
  expect(plain.text()).toContain('unitOfMeasure EA');
  plain.type('n\r');
  await plain.exited;
  await here.file('sap.csv', 'MATNR;MAKTX;MEINS;MATKL\n100-1;Schraube;ST;0017\n');
  const sap = terminalOf('items', 'import', 'sap.csv');
  await sap.waitFor('code ← MATNR');
  await sap.waitFor('Use these columns?');
  for (const line of ['name ← MAKTX', 'unitOfMeasure ← MEINS', 'type ← MATKL']) {
    expect(sap.text()).toContain(line);
  }
  sap.type('\u0003');
  await sap.exited;
});

it('offers the best column first, and columns that fill another field last', async () => {
  await here.file('odd.csv', 'Zeta,Internal item code,Label\nx,Q-1,Bolt\n');
  const terminal = terminalOf('items', 'import', 'odd.csv');
  await terminal.waitFor('Which column fills code? (1 of 10)');
  // The column whose header contains "item code" is selected.
  terminal.type('\r');
  await terminal.waitFor('Which column fills name? (2 of 10)');
  await terminal.waitFor('Internal item code  (Q-1, fills code)');
  terminal.type('\u0003');
  expect(await terminal.exited).toBe(130);
});
