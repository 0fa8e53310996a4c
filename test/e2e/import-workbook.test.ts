import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readSheet } from 'read-excel-file/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { typeInto } from '../support/edit-workbook.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld, jsonLines } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { until } from '../support/until.ts';
import { workbook } from '../support/workbook.ts';

assumeFirstRuns();

let sandbox: LoggedSandbox;

beforeAll(async () => {
  sandbox = await loggedSandbox();
});
afterAll(() => sandbox.close());

describe('a workbook', () => {
  it('is read directly, by sheet name, and codes that lost digits are rejected', async () => {
    const world = await freshWorld(sandbox.target);
    const file = workbook({
      Notes: [['nothing here']],
      Items: [
        ['code', 'name', 'brand'],
        ['W-1', 'Wheel & axle', 12.5],
        [4711, 'A number', null],
        [null, null, null],
        ['1.2E+10', 'Lost digits', true],
        [new Date(Date.UTC(2026, 2, 12)), 'Was 3-12', null],
      ],
    });
    await world.file('book.xlsx', file);
    const ran = await world.run(['items', 'import', 'book.xlsx', '--sheet', 'Items', '--yes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ rows: 4, created: 3, rejected: 1 });
    const rejected = await readSheet(join(world.cwd, 'book.rejected.xlsx'));
    expect(rejected.map((row) => row.slice(0, 4))).toEqual([
      ['code', 'name', 'brand', '_row'],
      ['1.2E+10', 'Lost digits', true, 3],
    ]);

    const none = await world.run(['items', 'import', 'book.xlsx', '--sheet', 'Other', '--yes']);
    expect(none.exitCode).toBe(2);
    expect(jsonLines(none.stderr).at(-1)).toMatchObject({
      error: { message: 'book.xlsx has no sheet "Other"' },
    });
  });

  it('may contain dates and numeric accounts; a column of durations is refused', async () => {
    const world = await freshWorld(sandbox.target);
    const file = workbook({
      Sheet1: [
        ['reference', 'account', 'amount', 'notes', 'lasts'],
        ['R-1', 4010, 5, null, { hours: 26.5 }],
        ['R-2', '0401', 5, '0.25', null],
        ['R-3', '0402', 5, new Date(Date.UTC(2026, 2, 12)), null],
      ],
    });
    await world.file('book.xlsx', file);
    const command = ['imputations', 'import', 'book.xlsx', '--yes', '--set', 'contractId=k-1'];
    const refused = await world.run([...command, '--map', 'notes=lasts']);
    expect(errorOf(refused)).toMatchObject({ code: 'invalid_input', exitCode: 2 });
    expect(errorOf(refused).message).toContain('its cell E2 may be a date or a number');
    const ran = await world.run(command);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    const database = new DatabaseSync(sandbox.dbPath, { readOnly: true });
    const rows = database.prepare('SELECT notes FROM imputations ORDER BY reference').all();
    database.close();
    expect(rows.map(({ notes }) => notes)).toEqual([null, '0.25', '2026-03-12']);
  });

  it.each(['results', 'rejected'])('cannot write --%s to standard output', async (flag) => {
    const world = await freshWorld(sandbox.target);
    await world.file('a.csv', 'code,name\nP-1,n\n');
    const ran = await world.run(['items', 'import', 'a.csv', '--yes', `--${flag}`, '-']);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(errorOf(ran).hint).toContain(`--${flag} ${flag}.csv`);
    expect(await readdir(world.cwd)).toEqual(['a.csv']);
  });

  it('may come from standard input, and leaves no file behind', async () => {
    const world = await freshWorld(sandbox.target);
    const input = workbook({
      Items: [
        ['code', 'name'],
        ['X-1', 'Axle'],
      ],
    });
    const ran = await world.run(['items', 'import', '-', '--yes'], { input });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 1 });
    const left = await readdir(join(world.stateDir, 'imports'));
    expect(left.filter((name) => name.startsWith('input-'))).toEqual([]);
  });
});

describe('spreadsheet errors in cells', () => {
  it('reject their rows in any field of a workbook, also after it was saved as text', async () => {
    const world = await freshWorld(sandbox.target);
    const file = workbook({
      Items: [
        ['code', 'name', 'other'],
        [{ error: '#N/A' }, 'Looked up', null],
        ['E-2', { error: '#REF!' }, null],
        ['E-3', 'Good', { error: '#DIV/0!' }],
      ],
    });
    await world.file('book.xlsx', file);
    const ran = await world.run(['items', 'import', 'book.xlsx', '--yes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
    const { created, rejected, rejectedFile } = JSON.parse(ran.stdout);
    expect({ created, rejected }).toEqual({ created: 1, rejected: 2 });
    const reasons = (await readSheet(rejectedFile)).map((row) => row[3]);
    expect(reasons).toEqual([
      '_reason',
      expect.stringContaining('column "code": "#N/A" looks like'),
      expect.stringContaining('column "name": "#REF!" looks like'),
    ]);
    await typeInto(rejectedFile, { A2: 'E-1' });
    const left = await world.run(['items', 'import', rejectedFile, '--yes']);
    expect(JSON.parse(left.stdout)).toMatchObject({ created: 1, rejected: 1 });
  });

  it('reject rows of a text file too', async () => {
    const world = await freshWorld(sandbox.target);
    const errors = [
      ...['#N/A', '#REF!', '#VALUE!', '#NAME?', '#DIV/0!', '#NUM!', '#NULL!', 'Err:502'],
      ...['#¡REF!', '#¿NOMBRE?', '#¡VALOR!', '#¡DIV/0!', '#SPILL!', '#CALC!', '#####'],
    ];
    const rows = [...errors.map((code) => `${code},n`), '#1,n', 'E-9,#N/A'];
    await world.file('e.csv', `code,name\n${rows.join('\n')}\n`);
    const ran = await world.run(['items', 'import', 'e.csv', '--yes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 1, rejected: errors.length + 1 });
  });
});

describe('two imports at once', () => {
  it('the second waits as long as --wait-lock allows, or exits 2', async () => {
    await using slow = await loggedSandbox({ faults: 'latency=150ms' });
    const world = await freshWorld(slow.target);
    const rows = Array.from({ length: 24 }, (_, at) => `S-${at},n`).join('\n');
    await world.file('a.csv', `code,name\n${rows}\n`);
    await world.file('b.csv', 'code,name\nT-1,n\n');
    const first = world.start(['items', 'import', 'a.csv', '--yes', 'PROC_CONCURRENCY=2']);
    await until(() => slow.writes().length > 0);
    const refused = await world.run(['items', 'import', 'b.csv', '--yes']);
    expect(refused.exitCode).toBe(2);
    expect(jsonLines(refused.stderr).at(-1)).toMatchObject({
      error: { hint: expect.stringContaining('--wait-lock 5m') },
    });
    const waited = await world.run(['items', 'import', 'b.csv', '--yes', '--wait-lock', '1m']);
    expect(waited, waited.stderr).toMatchObject({ exitCode: 0 });
    expect((await first).exitCode).toBe(0);
  });
});
