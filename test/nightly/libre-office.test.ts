import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
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
  { code: '0007', name: '=1+1' },
  { code: '1E5', name: "'=2+2" },
  { code: '=A1', name: 'two\nlines' },
  { code: '12345678901234567890', name: 'Señal, "50 km"' },
  { code: '2/3', name: '_x0041_ & <b>' },
  { code: "'quoted", name: ' spaces ' },
];

/** The number formats of all numbers on the first sheet, in order. */
async function formats(file: string): Promise<(string | undefined)[]> {
  const parts = await workbookParts(file);
  const styles = parts['xl/styles.xml']!;
  const cellFormats = [
    .../<cellXfs[^>]*>(.*)<\/cellXfs>/s.exec(styles)![1]!.matchAll(/<xf [^>]*numFmtId="(\d+)"/g),
  ].map(([, id]) => id!);
  const cells = [
    ...parts['xl/worksheets/sheet1.xml']!.matchAll(/<c r="\w+" s="(\d+)"(?: t="n")?><v>/g),
  ];
  return cells.map(([, style]) => {
    const id = cellFormats[Number(style)];
    const code = new RegExp(`numFmtId="${id}" formatCode="([^"]*)"`).exec(styles)?.[1];
    return code?.replaceAll('&quot;', '').replace(/[\\"]/g, '').toLowerCase();
  });
}

it.skipIf(libreOffice === undefined)(
  `workbooks that LibreOffice opened and saved have the same cells, header and filter, and are imported${title}`,
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
    await ok('items', 'list', '--all', '--out', 'items.xlsx');
    await ok('orders', 'list', '--all', '--out', 'orders.xlsx');
    const source = workbook({
      Facturas: [
        ['Factura', 'Importe', 'Notas'],
        // In the XML of a workbook, `_x0041_` means A. So a literal `_x` must be escaped.
        ...ITEMS.map(({ code, name }) => [code, 'n/a', name.replace('_x', '_x005F_x')]),
      ],
    });
    await world.file('book.xlsx', source);
    const mapped = [
      ...['--map', 'reference=Factura', '--map', 'amount=Importe', '--map', 'notes=Notas'],
      ...['--set', 'contractId=c', '--yes'],
    ];
    const first = await world.run(['imputations', 'import', 'book.xlsx', ...mapped]);
    const { rejectedFile } = JSON.parse(first.stdout);
    const typed = Object.fromEntries(ITEMS.map((_, n) => [`B${n + 2}`, n + 0.25]));
    await typeInto(rejectedFile, typed);

    const names = ['items.xlsx', 'orders.xlsx', 'book.rejected.xlsx'];
    const files = names.map((name) => join(world.cwd, name));
    const saved = await savedByLibreOffice(files, join(world.cwd, 'saved'));
    for (const [index, file] of files.entries()) {
      expect(await readXlsxFile(saved[index]!, { trim: false }), file).toEqual(
        await readXlsxFile(file, { trim: false }),
      );
      const parts = await workbookParts(saved[index]!);
      const sheet = parts['xl/worksheets/sheet1.xml']!;
      expect(sheet, file).toMatch(/<pane [^>]*ySplit="1"[^>]*state="frozen"/);
      expect(sheet, file).toMatch(/<autoFilter ref="A1:/);
      expect(sheet, file).not.toContain('<f');
      expect(parts['xl/workbook.xml'], file).toContain('_proc_origin');
    }
    expect(new Set(await formats(saved[1]!)).size).toBeGreaterThan(1);
    expect(await formats(saved[1]!)).toEqual(await formats(files[1]!));

    expect(await ok('items', 'import', saved[0]!, '--dry-run')).toMatchObject({ create: 0 });
    expect(await ok('items', 'import', saved[2]!, '--dry-run')).toMatchObject({ create: 0 });
    expect(await ok('imputations', 'import', saved[3]!, ...mapped)).toMatchObject({
      created: ITEMS.length,
      rejected: 0,
    });
    const database = new DatabaseSync(sandbox.dbPath, { readOnly: true });
    const stored = database.prepare('SELECT reference, amount, notes FROM imputations').all();
    database.close();
    expect(stored.map((row) => ({ ...row }))).toEqual(
      ITEMS.map(({ code, name }, n) => ({ reference: code, amount: n + 0.25, notes: name.trim() })),
    );
  },
  120_000,
);
