import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { checkFile } from '../support/check-not-data.ts';
import { libreOffice, savedByLibreOffice } from '../support/libre-office.ts';
import { DOUBTFUL_FILES } from '../support/not-data-files.ts';
import { freshWorld } from '../support/run.ts';
import { workbook } from '../support/workbook.ts';

const TABLES = DOUBTFUL_FILES.filter(({ asWorkbook }) => asWorkbook === true);
const title = libreOffice === undefined ? ' (NOT TESTED: soffice is missing)' : '';

/** Numbers become numbers, as in a table that a person types. */
function cellsOf(content: string): (string | number)[][] {
  const [first = ''] = content.split('\n');
  const rows: string[][] = parse(content, { delimiter: first.includes(';') ? ';' : ',' });
  return rows.map((row) => row.map((cell) => (/^\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell)));
}

it(`tables of which not all is data mean the same as workbooks of LibreOffice${title}`, {
  timeout: 900_000,
}, async () => {
  const { cwd } = await freshWorld();
  const names = TABLES.map((_, at) => join(cwd, `table-${at}.xlsx`));
  for (const [at, { content }] of TABLES.entries()) {
    await writeFile(names[at]!, workbook({ Data: cellsOf(String(content)) }));
  }
  const folder = join(cwd, 'saved');
  await mkdir(folder);
  const saved = libreOffice === undefined ? names : await savedByLibreOffice(names, folder);
  const failed: string[] = [];
  for (const [at, table] of TABLES.entries()) {
    await checkFile(table, 'table.xlsx', readFileSync(saved[at]!)).catch((thrown: Error) =>
      failed.push(`${table.title}: ${thrown.message}`),
    );
  }
  expect(failed).toEqual([]);
});
