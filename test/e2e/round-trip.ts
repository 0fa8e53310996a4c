import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSheet } from 'read-excel-file/node';
import { typeInto } from '../support/edit-workbook.ts';
import { readCells, type Spreadsheet, writeCells } from '../support/resave.ts';
import { workbook } from '../support/workbook.ts';

/**
 * An import rejects rows, a spreadsheet repairs their file, and proc imports it again. First the spreadsheet
 * converts codes to numbers, then it keeps all columns as text.
 */
export interface RoundTrip {
  readonly rows: number;
  readonly created: number;
  readonly rejected: number;
  /** The import after the spreadsheet has converted codes. */
  readonly careless: {
    readonly exitCode: number | null;
    readonly sent: number;
    readonly said: string;
    readonly named: number;
  };
  /** The import of a file with all columns as text. */
  readonly repaired: Step & { readonly created: number; readonly rejected: number };
  /** The totals of the first run after the repair. */
  readonly afterwards: {
    readonly created: number;
    readonly rejected: number;
    readonly repaired: number;
  };
  readonly again: { readonly exitCode: number | null; readonly sent: number };
  /** By SQL: how many records the service has, and how many rows differ from the first file. */
  readonly stored: number;
  readonly wrong: number;
  readonly first: Step;
}

interface Step {
  readonly exitCode: number | null;
  readonly seconds: number | undefined;
  readonly peakMb: number | undefined;
}

export interface RoundTripOptions {
  readonly rows: number;
  readonly as: 'csv' | 'xlsx';
  readonly spreadsheet: Spreadsheet;
  readonly folder: string;
  run(args: readonly string[]): Promise<{
    readonly exitCode: number | null;
    readonly stdout: string;
    readonly stderr: string;
    readonly seconds?: number;
    readonly peakMb?: number | undefined;
  }>;
  sql(query: string): Record<string, unknown>[];
}

/** Values that a spreadsheet, or the apostrophe against formulas, could lose. */
const NOTES = [
  '=1+1',
  '-x',
  "'quoted",
  'Caño, "grande"',
  'línea 1\nlínea 2',
  '@home',
  '+54 11',
  ' spaces ',
  '',
];

const note = (n: number) => NOTES[n % NOTES.length]!;
const amount = (n: number) => `${n % 900}.25`;

/** Codes that a spreadsheet converts to numbers, and codes that it keeps. */
function reference(n: number): string {
  switch (n % 5) {
    case 0:
      return String(n).padStart(7, '0');
    case 1:
      return `1${String(n).padStart(17, '0')}`;
    case 2:
      return `${n}E5`;
    case 3:
      return `A-${n}`;
    default:
      return `Factura ñ ${n}`;
  }
}

const MAP = ['--map', 'reference=Invoice', '--map', 'amount=Amount', '--map', 'notes=Notes'];

export async function roundTrip(options: RoundTripOptions): Promise<RoundTrip> {
  const { rows, as, spreadsheet, folder, run, sql } = options;
  const file = (name: string) => join(folder, name);
  const isGood = (n: number) => n % 4 === 0;
  writeCells(file('a.csv'), [
    ['Invoice', 'Amount', 'Notes'],
    ...[...Array(rows).keys()].map((n) => [reference(n), isGood(n) ? amount(n) : 'n/a', note(n)]),
  ]);
  const stored = () => Number(sql('SELECT count(*) AS n FROM imputations')[0]!.n);
  const first = await run([
    'imputations',
    'import',
    'a.csv',
    '--set',
    'contractId=k-1',
    ...MAP,
    '--yes',
  ]);
  const summary = JSON.parse(first.stdout);

  const [header, ...rejected] = readCells(file('a.rejected.csv'));
  const at = header!.indexOf('_row');
  for (const cells of rejected) cells[1] = amount(Number(cells[at]) - 1);
  writeCells(file('edited.csv'), [header!, ...rejected]);

  const before = stored();
  await spreadsheet.save(file('edited.csv'), file(`careless.${as}`), as, 'guessed');
  const careless = await run([
    'imputations',
    'import',
    `careless.${as}`,
    '--set',
    'contractId=k-1',
    '--yes',
  ]);
  const afterCareless = stored();

  await spreadsheet.save(file('edited.csv'), file(`fixed.${as}`), as, 'text');
  const fixed = await run([
    'imputations',
    'import',
    `fixed.${as}`,
    '--set',
    'contractId=k-1',
    '--yes',
  ]);
  const fixedSummary = fixed.stdout === '' ? {} : JSON.parse(fixed.stdout);
  const afterFixed = stored();
  const again = await run([
    'imputations',
    'import',
    `fixed.${as}`,
    '--set',
    'contractId=k-1',
    '--yes',
  ]);
  const shown = JSON.parse((await run(['imports', 'show', summary.run])).stdout);

  const wrong = wrongRows(rows, sql);
  return {
    rows,
    created: summary.created,
    rejected: summary.rejected,
    careless: {
      exitCode: careless.exitCode,
      sent: afterCareless - before,
      ...errorOf(careless.stderr),
    },
    repaired: {
      ...stepOf(fixed),
      created: fixedSummary.created ?? 0,
      rejected: fixedSummary.rejected ?? 0,
    },
    afterwards: {
      created: shown.created,
      rejected: shown.rejected,
      repaired: shown.repaired ?? 0,
    },
    again: { exitCode: again.exitCode, sent: stored() - afterFixed },
    stored: stored(),
    wrong,
    first: stepOf(first),
  };
}

function wrongRows(rows: number, sql: RoundTripOptions['sql']): number {
  const found = new Map(
    sql('SELECT reference, amount, notes FROM imputations').map((row) => [row.reference, row]),
  );
  let wrong = 0;
  for (let n = 0; n < rows; n++) {
    const row = found.get(reference(n));
    const isSame =
      Number(row?.amount) === Number(amount(n)) &&
      String(row?.notes ?? '').trim() === note(n).trim();
    if (!isSame) wrong++;
  }
  return wrong;
}

/**
 * Does the same with a workbook: its rejected rows are a workbook too.
 * @param save opens and saves a file as a spreadsheet does; returns the saved file
 */
export async function workbookRoundTrip(
  { rows, folder, run, sql }: Omit<RoundTripOptions, 'as' | 'spreadsheet'>,
  save: (file: string) => Promise<string>,
) {
  const source = [...Array(rows).keys()].map((n) => [
    reference(n),
    n % 4 === 0 ? Number(amount(n)) : 'n/a',
    note(n),
  ]);
  const file = join(folder, 'a.xlsx');
  writeFileSync(file, workbook({ Sheet1: [['Invoice', 'Amount', 'Notes'], ...source] }));
  const first = await run([
    'imputations',
    'import',
    'a.xlsx',
    '--set',
    'contractId=k-1',
    ...MAP,
    '--yes',
  ]);
  const summary = JSON.parse(first.stdout);
  const cells = await readSheet(summary.rejectedFile);
  const at = cells[0]!.indexOf('_row');
  const amounts = cells
    .slice(1)
    .map((row, index) => [`B${index + 2}`, Number(amount(Number(row[at]) - 1))] as const);
  await typeInto(summary.rejectedFile, Object.fromEntries(amounts));
  const saved = await save(summary.rejectedFile);
  const fixed = await run(['imputations', 'import', saved, '--set', 'contractId=k-1', '--yes']);
  const fixedSummary = fixed.stdout === '' ? {} : JSON.parse(fixed.stdout);
  const shown = JSON.parse((await run(['imports', 'show', summary.run])).stdout);
  return {
    rows,
    created: summary.created,
    rejected: summary.rejected,
    changed: errorOf(fixed.stderr).named,
    repaired: { ...stepOf(fixed), created: fixedSummary.created ?? 0 },
    afterwards: { created: shown.created, repaired: shown.repaired ?? 0 },
    stored: Number(sql('SELECT count(*) AS n FROM imputations')[0]!.n),
    wrong: wrongRows(rows, sql),
  };
}

function errorOf(stderr: string): { readonly said: string; readonly named: number } {
  const line = stderr.trim().split('\n').at(-1) ?? '';
  if (!line.startsWith('{"error"')) return { said: line, named: 0 };
  const { message, details } = JSON.parse(line).error;
  return { said: message, named: Object.keys(details?.changed ?? {}).length };
}

function stepOf({
  exitCode,
  seconds,
  peakMb,
}: {
  readonly exitCode: number | null;
  readonly seconds?: number;
  readonly peakMb?: number | undefined;
}): Step {
  return { exitCode, seconds, peakMb };
}
