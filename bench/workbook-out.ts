// Memory of `--out items.xlsx`, and whether its values survive a spreadsheet.
//   npm run bench:workbook-out [-- ROWS]
// LibreOffice (apt-get install libreoffice-calc) opens and saves a workbook of 50,000 items with
// unusual codes. No cell may change, and an import of the saved file must keep every code.
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readSheet } from 'read-excel-file/node';
import { openStage, type Stage } from './stage.ts';

const ROWS = Number(process.argv[2] ?? 1_000_000);
const SPOILT = 50_000;
const BUDGET_MB = 200;

type Item = Record<'id' | 'name' | 'code', string>;

/** Codes that a spreadsheet would turn into numbers, dates or formulas in a CSV file. */
const CODES = [
  (n: number) => `00${n}`,
  (n: number) => `1E${n}`,
  (n: number) => `${n}/2`,
  (n: number) => `=${n}+1`,
  (n: number) => `+${n}`,
  (n: number) => `-${n}`,
  (n: number) => `@${n}`,
  (n: number) => `1234567890123456${n}`,
  (n: number) => `_x0041_${n}`,
  (n: number) => `TRUE-${n} <&">`,
];

const plain = (n: number): Item => ({ id: `item-${n}`, name: `Bolt M${n}`, code: `AR-${n}` });
const spoilt = (n: number): Item => ({
  id: `item-${n}`,
  name: ['=1+1', 'MARCH1', '1-2', 'Señal "50 km"', '工具一式', 'two\nlines'][n % 6]!,
  code: CODES[n % CODES.length]!(n),
});

let isGood = true;
await using stage = await openStage();
const memory = await listed(ROWS, plain, 'items.xlsx');
const csv = await listed(ROWS, plain, 'items.csv');
console.log(JSON.stringify({ rows: ROWS, xlsx: memory, csv }));
isGood &&= memory.exitCode === 0 && memory.peakMb! <= BUDGET_MB;

await listed(SPOILT, spoilt, 'spoilt.xlsx');
const file = join(stage.folder, 'spoilt.xlsx');
const saved = await savedByLibreOffice(stage, file);
for (const [by, of] of [
  ['proc', file],
  [saved?.name, saved?.file],
]) {
  if (of === undefined) continue;
  const changed = await changedCells(of);
  console.log(JSON.stringify({ by, rows: SPOILT, cells: SPOILT * 3, changed }));
  isGood &&= changed === 0;
}
const imported = await stage.run(['items', 'import', saved?.file ?? file, '--yes', '-o', 'json']);
const stored = stage.sql("SELECT name, code FROM items WHERE code <> ''");
const wanted = new Map(Array.from({ length: SPOILT }, (_, n) => [spoilt(n).code, spoilt(n).name]));
const found = stored.filter(({ code, name }) => wanted.get(String(code)) === name).length;
console.log(
  JSON.stringify({ imported: imported.exitCode, stored: found, changed: SPOILT - found }),
);
isGood &&= imported.exitCode === 0 && found === SPOILT;
console.log(isGood ? 'as it should be' : 'WRONG');
process.exitCode = isGood ? 0 : 1;

async function listed(rows: number, item: (n: number) => Item, name: string) {
  const service = createServer((request, response) => {
    const { searchParams } = new URL(request.url!, 'http://localhost');
    const from = Number(searchParams.get('offset') ?? 0);
    const length = Math.max(0, Math.min(rows - from, Number(searchParams.get('limit') ?? 100)));
    const page = Array.from({ length }, (_, index) => item(from + index));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(page));
  });
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const { port } = service.address() as AddressInfo;
  try {
    const { exitCode, seconds, peakMb, stderr } = await stage.run(
      ['items', 'list', '--all', '--out', name],
      { PROC_BASE_URL: `http://127.0.0.1:${port}` },
    );
    if (exitCode !== 0) console.error(stderr);
    const { size } = statSync(join(stage.folder, name));
    return { exitCode, seconds: Math.round(seconds), peakMb, fileMb: Math.round(size / 1e6) };
  } finally {
    service.closeAllConnections();
    service.close();
  }
}

/** Counts the cells that differ from what was written. Uses another reader than proc. */
async function changedCells(path: string): Promise<number> {
  const rows = await readSheet(path, { trim: false });
  const [header, ...data] = rows;
  const at = (name: string) => header!.indexOf(name);
  let changed = Math.abs(data.length - SPOILT) * 3;
  for (const [n, row] of data.entries()) {
    for (const [name, text] of Object.entries(spoilt(n))) if (row[at(name)] !== text) changed++;
  }
  return changed;
}

async function savedByLibreOffice({ folder }: Stage, path: string) {
  let name: string;
  try {
    name = execFileSync('soffice', ['--version'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
  const input = join(folder, 'opened.xlsx');
  copyFileSync(path, input);
  await promisify(execFile)('soffice', [
    `-env:UserInstallation=file://${folder}/office`,
    '--headless',
    ...['--convert-to', 'xlsx:Calc MS Excel 2007 XML', '--outdir', join(folder, 'saved'), input],
  ]);
  rmSync(input);
  return {
    name: name.split(' ').slice(0, 2).join(' '),
    file: join(folder, 'saved', 'opened.xlsx'),
  };
}
