import { readdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parse } from 'csv-parse/sync';
import { readSheet } from 'read-excel-file/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoredProblem } from '../../src/core/problem/row-problem.ts';
import { sentenceIn } from '../../src/messages/problems.ts';
import { errorOf, freshWorld, jsonLines, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

type PlanRow = Record<string, unknown> & { readonly state: string };

let sandbox: LoggedSandbox;
let here: World;

beforeEach(async () => {
  sandbox = await loggedSandbox();
  here = await freshWorld(sandbox.target);
});
afterEach(() => sandbox.close());

/** Reads a file of a plan. Empty cells are null. */
async function planIn(file: string): Promise<PlanRow[]> {
  const path = join(here.cwd, file);
  if (file.endsWith('.json')) return JSON.parse(await readFile(path, 'utf8'));
  if (file.endsWith('.ndjson')) return jsonLines(await readFile(path, 'utf8')) as PlanRow[];
  const [header = [], ...rows] = file.endsWith('.xlsx')
    ? ((await readSheet(path)) as unknown[][])
    : (parse(await readFile(path, 'utf8')) as unknown[][]);
  return rows.map((cells) => {
    const row = Object.fromEntries(
      header.map((name, at) => [String(name), cells[at] === '' ? null : (cells[at] ?? null)]),
    );
    return {
      ...row,
      row: Number(row.row),
      line: row.line === null ? null : Number(row.line),
      record: typeof row.record === 'string' ? JSON.parse(row.record) : row.record,
    } as unknown as PlanRow;
  });
}

function countsIn(plan: readonly PlanRow[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of plan) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

function rowsOfRun(): Record<string, unknown>[] {
  const folder = join(here.stateDir, 'imports');
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.db'));
  const database = new DatabaseSync(join(folder, file!), { readOnly: true });
  try {
    const sql = 'SELECT row, state, code, reason FROM rows ORDER BY row';
    return database
      .prepare(sql)
      .all()
      .map(({ reason, ...row }) => {
        return { ...row, reason: sentenceIn(reason as StoredProblem | null) };
      });
  } finally {
    database.close();
  }
}

const STOCK = [
  'code,name,brand,price',
  'P-1,Bolt,"=1+1",1.10',
  'P-2,"Nut, ñandú",,2',
  ',Nameless,,3',
  'P-1,Bolt,"=1+1",1.10',
  'P-4,Washer,Nope,4',
  'P-5,Old,,5',
  'P-6',
].join('\n');
const FLAGS = ['--where', 'brand!=Nope'];

describe.each(['csv', 'xlsx', 'ndjson', 'json'])('--plan plan.%s', (ending) => {
  const file = `plan.${ending}`;

  it('has each row with place, state, reason and values, as the dry run counts them', async () => {
    await here.run(['items', 'create', '--code', 'P-5', '--name', 'Old']);
    await here.file('stock.csv', STOCK);
    const ran = await here.run([
      'items',
      'import',
      'stock.csv',
      ...FLAGS,
      '--dry-run',
      '--plan',
      file,
    ]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    const summary = JSON.parse(ran.stdout);
    const plan = await planIn(file);
    expect(countsIn(plan)).toEqual({
      pending: summary.create,
      existing: summary.existing,
      duplicate: summary.duplicates,
      rejected: summary.invalid,
      filtered: summary.filtered,
    });
    expect(plan).toHaveLength(summary.rows);
    expect(summary.planFile).toBe(join(here.cwd, file));
    expect(plan.map(({ row, line }) => [row, line])).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((row) => [row, row + 1]),
    );
    expect(plan[1]).toMatchObject({
      state: 'pending',
      code: 'P-2',
      name: 'Nut, ñandú',
      id: null,
      reason: null,
      record: null,
    });
    expect(plan[3]).toMatchObject({ state: 'duplicate', code: 'P-1', reason: 'the same as row 1' });
    expect(plan[4]).toMatchObject({ state: 'filtered', code: null, brand: null });
    expect(plan[5]).toMatchObject({ state: 'existing', code: 'P-5', id: expect.any(String) });
    expect(plan[6]).toMatchObject({ state: 'rejected', record: { code: 'P-6' } });
    expect(plan[6]!.reason).toContain('has 1 cell');
    expect(sandbox.writes()).toHaveLength(1);
  });

  it('is what the import then does, by SQL on its ledger', async () => {
    await here.run(['items', 'create', '--code', 'P-5', '--name', 'Old']);
    await here.file('stock.csv', STOCK);
    const ran = await here.run(['items', 'import', 'stock.csv', ...FLAGS, '--yes', '--plan', file]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ planFile: join(here.cwd, file) });
    const planned = (await planIn(file)).map(({ row, state, code, reason }) => ({
      row,
      state: state === 'pending' ? 'created' : state,
      code,
      reason,
    }));
    expect(rowsOfRun()).toEqual(planned);
  });
});

describe('--plan', () => {
  it('of requisitions has the whole payload, also if it is longer than a cell', async () => {
    const lines = Array.from({ length: 600 }, (_, at) => ({
      itemId: `item-${at}-${'ñ'.repeat(40)}`,
      quantity: 1,
    }));
    const payload = {
      title: 'Long',
      groups: [{ deliveryMethod: 'delivery', addressId: 'addr-1', items: lines }],
    };
    await here.file('long.ndjson', JSON.stringify(payload));
    const flags = ['--dry-run', '--plan'];
    for (const file of ['long.xlsx', 'long-plan.ndjson']) {
      const ran = await here.run(['requisition', 'import', 'long.ndjson', ...flags, file]);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    }
    const [header = [], cells = []] = await readSheet(join(here.cwd, 'long.xlsx'));
    expect(header).toContain('groups 2');
    const text = header.map((name, at) => (/^groups/.test(String(name)) ? cells[at] : '')).join('');
    expect(JSON.parse(text)).toEqual(payload.groups);
    const [row] = await planIn('long-plan.ndjson');
    expect(row).toMatchObject({ name: 'Long', ...payload });
  });

  it('of standard input is written too, and of imputations', async () => {
    const input = '{"reference":"R-1","amount":1.10}\n{"reference":"R-2","amount":"x"}\n';
    const ran = await here.run(
      ['imputations', 'import', '-', '--allow', 'missing', '--dry-run', '--plan', 'p.ndjson'],
      {
        input,
      },
    );
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(await readFile(join(here.cwd, 'p.ndjson'), 'utf8')).toContain(
      '"reference":"R-1","amount":1.1',
    );
    expect(await planIn('p.ndjson')).toMatchObject([
      { state: 'pending', code: 'R-1' },
      { state: 'rejected', code: 'R-2' },
    ]);
  });

  it('is written although the plan is refused or declined, and nothing is sent', async () => {
    await here.file('stock.csv', STOCK);
    const flags = ['--max-create', '1', '--yes', '--plan', 'refused.csv'];
    const refused = await here.run(['items', 'import', 'stock.csv', ...flags]);
    expect(refused.exitCode).toBe(2);
    expect(await planIn('refused.csv')).toHaveLength(7);
    expect(sandbox.writes()).toEqual([]);
  });

  it.each([
    [['--plan', 'plan.txt'], 'invalid_usage', '--plan plan.txt: its extension selects the format'],
    [['--plan', '-'], 'invalid_usage', '--plan -: its extension selects the format'],
    [['--plan', 'stock.csv'], 'invalid_usage', '--plan stock.csv is the file to import'],
    [['--plan', 'no/plan.csv'], 'unwritable_output', 'cannot write --plan '],
  ])('%j is refused before anything is read', async (flags, code, message) => {
    await here.file('stock.csv', STOCK);
    const ran = await here.run(['items', 'import', 'stock.csv', '--yes', ...flags]);
    expect(ran.exitCode).not.toBe(0);
    expect(errorOf(ran)).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(await readdir(here.cwd)).toEqual(['stock.csv']);
    expect(await readFile(join(here.cwd, 'stock.csv'), 'utf8')).toBe(STOCK);
  });

  it('leaves an existing file unchanged if the plan cannot be written completely', async () => {
    await here.file('stock.csv', STOCK);
    await here.file('plan.csv', 'earlier');
    const ran = await here.run(['items', 'import', 'missing.csv', '--yes', '--plan', 'plan.csv']);
    expect(ran.exitCode).not.toBe(0);
    expect(await readFile(join(here.cwd, 'plan.csv'), 'utf8')).toBe('earlier');
  });
});
