import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import readXlsxFile from 'read-excel-file/node';
import { expect, it } from 'vitest';
import { typeInto, workbookParts } from '../support/edit-workbook.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { libreOffice, savedByLibreOffice } from '../support/libre-office.ts';
import { freshWorld } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { workbook } from '../support/workbook.ts';

assumeFirstRuns();

if (libreOffice === undefined) {
  console.warn('soffice is missing, so workbooks saved by LibreOffice are NOT TESTED here');
}
const title = libreOffice === undefined ? ' (NOT TESTED: soffice is missing)' : '';

const ITEMS = [
  { code: '00042', name: '=1+1' },
  { code: '1E7', name: "'=2+2" },
  { code: '=A1', name: 'two\nlines' },
  { code: '12345678901234567890', name: 'Señal, "50 km"' },
  { code: '3/2', name: '_x0041_ & <b>' },
  { code: "'quoted", name: '2026-02-28' },
  { code: '-1', name: '\u{1f527} 50%' },
  { code: 'TRUE', name: '1,5' },
];

it.skipIf(libreOffice === undefined)(
  `workbooks show and keep the same texts in LibreOffice, and what it saved is imported${title}`,
  async () => {
    await using sandbox = await loggedSandbox();
    const world = await freshWorld(sandbox.target);
    const ok = async (...args: string[]) => {
      const ran = await world.run(args);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
      return ran.stdout === '' ? undefined : JSON.parse(ran.stdout);
    };
    await world.file('items.ndjson', ITEMS.map((item) => `${JSON.stringify(item)}\n`).join(''));
    await ok('items', 'import', 'items.ndjson', '--yes');
    await ok('items', 'list', '--fields', 'code,name', '--out', 'items.xlsx');
    await world.file(
      'book.xlsx',
      workbook({
        Facturas: [
          ['reference', 'amount', 'account', 'contractId'],
          ...ITEMS.map(({ code }) => [code, 'n/a', 'a', 'c']),
        ],
      }),
    );
    const first = await world.run(['imputations', 'import', 'book.xlsx', '--yes']);
    const { rejectedFile } = JSON.parse(first.stdout);
    await typeInto(rejectedFile, Object.fromEntries(ITEMS.map((_, n) => [`B${n + 2}`, n + 0.25])));

    const files = [join(world.cwd, 'items.xlsx'), rejectedFile as string];
    const saved = await savedByLibreOffice(files, join(world.cwd, 'saved'), 'xlsx');
    for (const [index, file] of files.entries()) {
      const cells = await readXlsxFile(file, { trim: false });
      expect(await readXlsxFile(saved[index]!, { trim: false }), file).toEqual(cells);
      const parts = await workbookParts(saved[index]!);
      expect(parts['xl/worksheets/sheet1.xml'], file).not.toContain('<f');
    }
    const [shown] = await savedByLibreOffice([files[0]!], join(world.cwd, 'csv'), 'csv');
    const listed: { code: string; name: string }[] = await ok('items', 'list', '-o', 'json');
    expect(parse(await readFile(shown!, 'utf8')).slice(1)).toEqual(
      listed.map(({ code, name }) => [code, name]),
    );
    expect(await ok('items', 'import', saved[0]!, '--dry-run')).toMatchObject({ create: 0 });
    expect(await ok('imputations', 'import', saved[1]!, '--yes')).toMatchObject({
      created: ITEMS.length,
      rejected: 0,
    });
  },
  120_000,
);
