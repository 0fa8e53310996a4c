import { csvCell } from '../../core/text/csv-cell.ts';
import { guarded } from '../../core/text/formula-guard.ts';
import type { Journal } from '../ledger/journal.ts';
import type { ResultRow } from '../ledger/rows/reported-rows.ts';
import { writeWhole } from './rows-file.ts';
import { withReason } from './words.ts';

type ResultLine = ReturnType<typeof withReason<ResultRow>>;

const FIELDS = ['row', 'code', 'id', 'state', 'name', 'line', 'reason'] as const;

/** Writes what happened to every row, as JSON or NDJSON by the file extension, else as CSV. */
export function writeResults(journal: Journal, path: string): void {
  const rows = lines(journal);
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase();
  const pieces = ending === 'json' ? json(rows) : ending === 'ndjson' ? ndjson(rows) : csv(rows);
  writeWhole(path, '--results', pieces);
}

function* lines({ reported }: Journal): Generator<ResultLine> {
  for (const row of reported.all()) yield withReason(row);
}

function* ndjson(rows: Iterable<ResultLine>): Generator<string> {
  for (const row of rows) yield `${JSON.stringify(row)}\n`;
}

function* json(rows: Iterable<ResultLine>): Generator<string> {
  let before = '[\n';
  for (const row of rows) {
    yield `${before}  ${JSON.stringify(row)}`;
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

function* csv(rows: Iterable<ResultLine>): Generator<string> {
  yield `${FIELDS.join(',')}\n`;
  for (const row of rows) yield `${FIELDS.map((field) => cell(row[field])).join(',')}\n`;
}

function cell(value: unknown): string {
  // Codes, names and reasons come from the service or the source, and could be formulas.
  return value === null || value === undefined ? '' : csvCell(guarded(String(value)), ',');
}
