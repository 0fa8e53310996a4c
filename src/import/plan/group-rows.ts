import type { Journal } from '../ledger/journal.ts';
import { textOf } from '../map/convert.ts';
import { placeOf } from '../report/words.ts';
import { MAX_RECORD_BYTES, RECORD_LIMIT } from '../source/bytes/limits.ts';
import type { MappedRow } from '../source/record.ts';
import type { ImportTarget } from '../targets/import-target.ts';

const ROWS_PER_COMMIT = 5_000;
const GROUPS_PER_BATCH = 256;

const TABLE = `
CREATE TEMP TABLE IF NOT EXISTS flat (
  row INTEGER PRIMARY KEY, key TEXT NOT NULL, line INTEGER, fields TEXT, body TEXT, problem TEXT,
  mends INTEGER
) STRICT;
DELETE FROM flat`;

type Grouped = NonNullable<ImportTarget['grouped']>;

/**
 * Brings rows that have the same value in one column together, wherever they stand in the file, in the
 * order of their first rows, and makes one body of each lot. They wait on the disk, so that memory
 * stays bounded. A row that is wrong rejects its whole lot: half a requisition helps nobody.
 */
export async function* groupRows(
  journal: Journal,
  batches: AsyncIterable<readonly MappedRow[]>,
  column: string,
  { assemble }: Grouped,
): AsyncGenerator<readonly MappedRow[]> {
  const { database } = journal;
  database.exec(TABLE);
  const insert = database.prepare('INSERT INTO flat VALUES (?, ?, ?, ?, ?, ?, ?)');
  // Filtered rows make no body; they are counted one by one.
  const aside: MappedRow[] = [];
  let waiting: MappedRow[] = [];
  const flush = () => {
    database.exec('BEGIN');
    for (const row of waiting) insert.run(...stored(row, column));
    database.exec('COMMIT');
    waiting = [];
  };
  for await (const batch of batches) {
    for (const row of batch) {
      const isAside = row.problem?.ofFile === true || row.isFiltered === true;
      (isAside ? aside : waiting).push(row);
    }
    if (waiting.length >= ROWS_PER_COMMIT) flush();
  }
  flush();
  database.exec('CREATE INDEX IF NOT EXISTS temp.flat_by_key ON flat (key, row)');
  // One lot after the other, each by its own query: nothing is open while the journal is written.
  database.exec(
    'CREATE TEMP TABLE IF NOT EXISTS lots (first INTEGER PRIMARY KEY, key TEXT NOT NULL) STRICT; DELETE FROM lots; INSERT INTO lots SELECT min(row), key FROM flat GROUP BY key',
  );
  const lots = database.prepare(
    'SELECT first, key FROM lots WHERE first > ? ORDER BY first LIMIT ?',
  );
  const members = database.prepare('SELECT * FROM flat WHERE key = ? ORDER BY row');
  let last = 0;
  for (;;) {
    const next = lots.all(last, GROUPS_PER_BATCH);
    if (next.length === 0) break;
    last = Number(next.at(-1)!.first);
    yield next.map(({ key }) =>
      lot(members.iterate(key as string) as Iterable<unknown> as Iterable<Stored>, assemble),
    );
  }
  database.exec('DROP TABLE lots; DROP TABLE flat');
  for (let from = 0; from < aside.length; from += ROWS_PER_COMMIT) {
    yield aside.slice(from, from + ROWS_PER_COMMIT);
  }
}

interface Stored {
  readonly row: number;
  readonly line: number | null;
  readonly fields: string | null;
  readonly body: string | null;
  readonly problem: string | null;
  readonly mends: number | null;
}

function stored(row: MappedRow, column: string) {
  const own = row.fields as Readonly<Record<string, unknown>> | undefined;
  const value = own !== undefined && Object.hasOwn(own, column) ? textOf(own[column])?.trim() : '';
  const isAlone = value === undefined || value === '';
  const problem =
    isAlone && row.problem === undefined
      ? `column ${JSON.stringify(column)} is empty`
      : row.problem?.message;
  const field = row.problem?.field;
  return [
    row.row,
    // A NUL is in no text, so no value is taken for a row of its own.
    isAlone ? `\0${row.row}` : value,
    row.line ?? null,
    own === undefined ? null : JSON.stringify(own),
    row.body === undefined ? null : JSON.stringify(row.body),
    problem === undefined ? null : field === undefined ? problem : `${field}: ${problem}`,
    row.mends ?? null,
  ] as const;
}

function lot(rows: Iterable<Stored>, assemble: Grouped['assemble']): MappedRow {
  let bytes = 0;
  let problem: string | undefined;
  let first: Stored | undefined;
  const fields: Record<string, unknown>[] = [];
  const flat: { place: string; body: Record<string, unknown> }[] = [];
  for (const row of rows) {
    first ??= row;
    const place = placeOf(row.row, row.line);
    bytes += row.fields?.length ?? 0;
    if (row.fields !== null) fields.push(JSON.parse(row.fields));
    if (bytes > MAX_RECORD_BYTES) problem ??= `its rows are together longer than ${RECORD_LIMIT}`;
    if (row.problem !== null) problem ??= `${place}: ${row.problem}`;
    if (problem === undefined) flat.push({ place, body: JSON.parse(row.body ?? '{}') });
  }
  const { row, line, mends } = first!;
  const common = { row, line: line ?? undefined, fields, mends: mends ?? undefined };
  const made = problem === undefined ? assemble(flat) : { problem };
  return made.problem === undefined
    ? { ...common, body: made.body }
    : { ...common, body: undefined, problem: { message: made.problem } };
}
