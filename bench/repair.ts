// Rejected rows are saved again as a spreadsheet would save them, repaired, and imported. Every
// value must arrive as it was in the first file.
//   npm run bench:repair [-- ROWS]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { openStage } from './stage.ts';

const ROWS = Number(process.argv[2] ?? 50_000);
const NOTES = [
  '=1+1',
  '-x',
  "'quoted",
  'Caño; "grande"',
  'línea 1\nlínea 2',
  '@home',
  '+54 11',
  '',
];

await using stage = await openStage();
const note = (n: number) => NOTES[n % NOTES.length]!;
const quoted = (text: string) => (/[;"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const rows = [...Array(ROWS).keys()].map(
  (n) => `${String(n).padStart(7, '0')};n/a;${quoted(note(n))}`,
);
writeFileSync(
  join(stage.folder, 'a.csv'),
  Buffer.from(`Factura;Importe;Notas\r\n${rows.join('\r\n')}\r\n`, 'latin1'),
);
const map = ['--map', 'reference=Factura', '--map', 'amount=Importe', '--map', 'notes=Notas'];
const first = await stage.run([
  'imputations',
  'import',
  'a.csv',
  ...map,
  '--encoding',
  'windows-1252',
  '--decimal',
  ',',
  '--yes',
  '--first-run',
]);
const { run } = JSON.parse(first.stdout);

// A spreadsheet reads all cells and writes them with quotes only if needed.
const saved = parse(readFileSync(join(stage.folder, 'a.rejected.csv'), 'latin1'), {
  delimiter: ';',
  relax_column_count: false,
}) as string[][];
for (const [n, cells] of saved.slice(1).entries()) cells[1] = `${n % 900},25`;
writeFileSync(
  join(stage.folder, 'fixed.csv'),
  Buffer.from(saved.map((cells) => `${cells.map(quoted).join(';')}\r\n`).join(''), 'latin1'),
);
const second = await stage.run([
  'imputations',
  'import',
  'fixed.csv',
  '--encoding',
  'windows-1252',
  '--yes',
]);
const shown = JSON.parse((await stage.run(['imports', 'show', run])).stdout);
let wrong = 0;
const stored = stage.sql('SELECT reference, amount, notes FROM imputations ORDER BY reference');
for (const [n, row] of stored.entries()) {
  const same =
    row.reference === String(n).padStart(7, '0') &&
    Number(row.amount) === (n % 900) + 0.25 &&
    (row.notes ?? '') === note(n);
  if (!same) wrong++;
}
const { created, rejected, unconfirmed } = JSON.parse(second.stdout);
console.log(
  JSON.stringify({
    rows: ROWS,
    first: { exitCode: first.exitCode, seconds: first.seconds, peakMb: first.peakMb },
    second: {
      exitCode: second.exitCode,
      created,
      rejected,
      unconfirmed,
      seconds: second.seconds,
      peakMb: second.peakMb,
    },
    repaired: shown.repaired,
    stored: stored.length,
    wrong,
  }),
);
if (wrong > 0 || stored.length !== ROWS || shown.repaired !== ROWS) process.exitCode = 1;
