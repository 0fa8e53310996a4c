import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorOf, freshWorld } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

const CASES = join(import.meta.dirname, '../fixtures/cases');

interface Imported {
  readonly flags?: readonly string[];
  readonly exit?: number;
  /** Code and name of every item, in order. */
  readonly items: readonly (readonly [string, string])[];
}

async function importing(file: string, content: Buffer | string, flags: readonly string[] = []) {
  const sandbox = await loggedSandbox({ empty: true });
  try {
    const world = await freshWorld(sandbox.target);
    await world.file(file, content);
    const ran = await world.run(['items', 'import', file, ...flags, '--yes']);
    const rows = sandbox.sql('SELECT code, name FROM items ORDER BY seq');
    return { ran, items: rows.map(({ code, name }) => [code, name]), writes: sandbox.writes() };
  } finally {
    await sandbox.close();
  }
}

const caseOf = (file: string): Buffer => readFileSync(join(CASES, file));

const NODES = ['--map', 'code=node.code', '--map', 'name=node.name'];
const PRODUCTS = ['--path', 'value', '--map', 'code=ItemNumber', '--map', 'name=ProductName'];

describe('what a file holds is created, by SQL', () => {
  it.each<[string, Imported]>([
    [
      'quote-joins-rows.csv',
      {
        exit: 8,
        items: [
          ['QJ-12', 'Pipe 5"'],
          ['QJ-13', 'Nut'],
        ],
      },
    ],
    [
      'dos-end-of-file.csv',
      {
        items: [
          ['DE-1', 'Pump'],
          ['DE-2', 'Seal'],
        ],
      },
    ],
    [
      'caret.csv',
      {
        flags: ['--delimiter', '^'],
        items: [
          ['CA-1', 'Pump, big'],
          ['CA-2', 'Seal'],
        ],
      },
    ],
    ['two-arrays.json', { flags: ['--path', 'items'], items: [['T-1', 'one']] }],
    ['one-object.json', { flags: ['--path', '.'], items: [['S-1', 'Single']] }],
    [
      'graphql.json',
      {
        flags: ['--path', 'data.items.edges', ...NODES, '--allow-part'],
        items: [
          ['GQ-1', 'Bolt'],
          ['GQ-2', 'Nut'],
        ],
      },
    ],
    [
      'first-page.json',
      {
        flags: [...PRODUCTS, '--allow-part'],
        items: [
          ['000123', 'Bolt'],
          ['000124', 'Nut'],
        ],
      },
    ],
    ['02-phonetic.xlsx', { items: [['PH-1', '東京 valve']] }],
  ])('%s', async (file, { flags, exit = 0, items }) => {
    const { ran, items: created } = await importing(file, caseOf(file), flags);
    expect(ran, ran.stderr).toMatchObject({ exitCode: exit });
    expect(created).toEqual(items);
  });

  it('without odd spaces at its ends and the guard of a formula, also as UTF-16', async () => {
    const rows = '\u00a0A-1\u00a0,\u2003Bolt\u202f\n,\nA-2,\'=Nut\n A-3 ,"M8\tRod\nzinc"\n';
    const content = Buffer.from(`\ufeffcode,name\n${rows}`, 'utf16le');
    const { ran, items } = await importing('a.csv', content);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(items).toEqual([
      ['A-1', 'Bolt'],
      ['A-2', '=Nut'],
      ['A-3', 'M8\tRod\nzinc'],
    ]);
  });

  it('in another encoding, if the flag names it', async () => {
    const content = Buffer.from('code,name\nE-1,Ca\xf1o\n', 'latin1');
    const refused = await importing('a.csv', content);
    expect(errorOf(refused.ran)).toMatchObject({
      ...{ code: 'invalid_input', exitCode: 2 },
      details: { line: 2, encoding: 'windows-1252' },
    });
    const { items } = await importing('a.csv', content, ['--encoding', 'windows-1252']);
    expect(items).toEqual([['E-1', 'Caño']]);
  });
});

describe('what is no list of rows exits 2, and sends nothing', () => {
  it.each<[string, readonly string[], RegExp]>([
    ['error-answer.json', [], /an error answer, not a list: "unauthorized"/],
    ['one-object.json', [], /one object, not a list.*\[ … \]/],
    ['two-arrays.json', [], /--path items or --path deletedItems/],
    ['graphql.json', [], /--path data\.items\.edges/],
    [
      'graphql.json',
      ['--path', 'data.items.edges', ...NODES],
      /reports an error.*"hasNextPage" is true.*--allow-part/,
    ],
    ['first-page.json', [], /nextLink.*--path value.*--allow-part/],
    ['first-page.json', PRODUCTS, /"@odata\.nextLink" is "https.*--allow-part/],
    ['caret.csv', [], /--delimiter '\^'/],
    ['06-formats-no-dates.xlsx', [], /its cell C3/],
  ])('%s %j', async (file, flags, says) => {
    const { ran, writes } = await importing(file, caseOf(file), flags);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    const { message, hint } = errorOf(ran);
    expect(`${message} ${hint}`).toMatch(says);
    expect(writes).toEqual([]);
  });
});

it.each([
  ['a.json', '[\n]'],
  ['a.csv', 'code,name\n'],
])('a list without rows is done: %s', async (file, content) => {
  const { ran } = await importing(file, content);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(ran.stdout)).toMatchObject({ rows: 0, created: 0 });
});
