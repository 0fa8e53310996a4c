import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readSheet } from 'read-excel-file/node';
import { describe, expect, it } from 'vitest';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld, jsonLines } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { workbook } from '../support/workbook.ts';

assumeFirstRuns();

const sandbox = await loggedSandbox();

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
    const rows = sandbox.sql('SELECT notes FROM imputations ORDER BY reference');
    expect(rows.map(({ notes }) => notes)).toEqual([null, '0.25', '2026-03-12']);
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
