import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ProcError } from '../../core/errors.ts';
import {
  eachOf,
  type Problem,
  type ProblemPlace,
  problemIn,
  type StoredProblem,
  sentence,
  storedProblem,
  together,
} from '../../core/row-problem.ts';
import { textOf } from '../map/convert.ts';
import { placeOf } from '../report/words.ts';
import { type MappedRow, MOST_CHARACTERS } from '../source/record.ts';
import type { FlatRow as FlatRecord, ImportTarget } from '../targets/import-target.ts';
import type { Locate } from './locate.ts';

const ROWS_PER_COMMIT = 5_000;
const GROUPS_PER_BATCH = 256;

interface Grouping extends Pick<NonNullable<ImportTarget['grouped']>, 'assemble'> {
  readonly column: string;
  readonly locate: Locate;
}

/**
 * Rows with the same value in `column` form one body, wherever they are in the file. Bodies come in
 * the order of their first rows. One invalid row rejects its whole group, because half a
 * requisition is of no use. A repeated header is rejected by itself.
 *
 * @throws ProcError `invalid_input` if a row cannot be read, or if a row without a value follows one
 * with a value: it may belong to the same body
 */
export async function* groupRows(
  database: DatabaseSync,
  batches: AsyncIterable<readonly MappedRow[]>,
  { column, ...grouping }: Grouping,
): AsyncGenerator<readonly MappedRow[]> {
  const flat = new FlatRows(database);
  const aside: MappedRow[] = [];
  let waiting: MappedRow[] = [];
  /** The key of the latest row that has one. */
  let last: string | undefined;
  const flush = () => {
    flat.add(
      waiting.map((row) => {
        const one = stored(row, column);
        if (!one.key.startsWith('\0')) last = one.key;
        else if (row.isUnread === true || (last !== undefined && hasCells(row))) {
          throw unclear(row, column, last);
        }
        return one;
      }),
    );
    waiting = [];
  };
  for await (const batch of batches) {
    for (const row of batch) {
      (row.isNotData === true ? aside : waiting).push(row);
    }
    if (waiting.length >= ROWS_PER_COMMIT) flush();
  }
  flush();
  for (const lots of flat.lots(GROUPS_PER_BATCH))
    yield lots.map((rows) => groupedRow(rows, grouping));
  for (let from = 0; from < aside.length; from += ROWS_PER_COMMIT) {
    yield aside.slice(from, from + ROWS_PER_COMMIT);
  }
}

/** The row may be a part of a body, which must not be sent without it. */
function unclear(
  { row, line, problem, isUnread }: MappedRow,
  column: string,
  last: string | undefined,
): ProcError {
  if (isUnread === true && problem !== undefined) {
    return new ProcError(
      'invalid_input',
      `${sentence(problem)}, and it is not clear to which ${JSON.stringify(column)} the row belongs; nothing was sent`,
      { hint: 'Correct the row', details: { row, column } },
    );
  }
  return new ProcError(
    'invalid_input',
    `${placeOf(row, line)}: column ${JSON.stringify(column)} is empty, and it is not clear whether the row belongs to ${JSON.stringify(last)} like the rows above; nothing was sent`,
    { hint: 'Fill in every cell of the column', details: { row, column } },
  );
}

function hasCells({ fields }: MappedRow): boolean {
  return Object.values(fields ?? {}).some(
    (value) => textOf(value)?.trim() !== '' && value !== null,
  );
}

function stored(row: MappedRow, column: string): FlatRow {
  const own = row.fields as Readonly<Record<string, unknown>> | undefined;
  const value = own !== undefined && Object.hasOwn(own, column) ? textOf(own[column])?.trim() : '';
  const isAlone = value === undefined || value === '';
  const problem: Problem | undefined =
    row.problem ?? (isAlone ? { text: `column ${JSON.stringify(column)} is empty` } : undefined);
  return {
    row: row.row,
    // A row without a value is a group of its own. The NUL keeps its key apart from the values of
    // the column.
    key: isAlone ? `\0${row.row}` : value,
    line: row.line ?? null,
    fields: own === undefined ? null : JSON.stringify(own),
    body: row.body === undefined ? null : JSON.stringify(row.body),
    problem: problem === undefined ? null : storedProblem(problem),
  };
}

function groupedRow(
  rows: Iterable<FlatRow>,
  { assemble, locate }: Pick<Grouping, 'assemble' | 'locate'>,
): MappedRow {
  let bytes = 0;
  const problems: Problem[] = [];
  let first: FlatRow | undefined;
  const fields: Record<string, unknown>[] = [];
  const flat: FlatRecord[] = [];
  for (const row of rows) {
    first ??= row;
    const place = { row: row.row, line: row.line ?? undefined };
    bytes += row.fields?.length ?? 0;
    // With its number, for the file of rejected rows.
    if (row.fields !== null) fields.push({ ...JSON.parse(row.fields), _row: row.row });
    if (bytes > MOST_CHARACTERS) {
      problems.push({ text: 'its rows together are longer than 1 MiB' });
      break;
    }
    if (row.problem !== null) problems.push(ofRow(problemIn(row.problem), place, locate));
    if (row.body !== null)
      flat.push({ place, body: JSON.parse(row.body), isWhole: row.problem === null });
  }
  const { row, line } = first!;
  const common = { row, line: line ?? undefined, fields };
  if (flat.length === 0) return { ...common, body: undefined, problem: together(problems) };
  const { body, places, problems: more } = assemble(flat);
  const problem = together([
    ...problems,
    ...more.map((one) => ofRow(one.problem, one.place, locate)),
  ]);
  return { ...common, body, places, problem };
}

/** A problem that names its place in the file keeps it. */
function ofRow(problem: Problem, place: ProblemPlace & { row: number }, locate: Locate): Problem {
  if (problem.place?.file !== undefined) return { text: sentence(problem), place };
  const found = eachOf(locate(problem, place));
  return together(found.map((one) => ({ ...one, place: { ...one.place, ...place } })))!;
}

const FLAT = `
CREATE TABLE flat (row INTEGER PRIMARY KEY, key TEXT NOT NULL, line INTEGER, fields TEXT, body TEXT, problem TEXT)`;

const LOTS = `
CREATE INDEX flat_by_key ON flat (key, row);
CREATE TABLE lots (first INTEGER PRIMARY KEY, key TEXT NOT NULL);
INSERT INTO lots SELECT min(row), key FROM flat GROUP BY key`;

interface FlatRow {
  readonly row: number;
  readonly key: string;
  readonly line: number | null;
  /** JSON text. */
  readonly fields: string | null;
  /** JSON text. */
  readonly body: string | null;
  readonly problem: StoredProblem | null;
}

/** Stores rows on the disk until the whole source is read, so that memory stays bounded. */
class FlatRows {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec(FLAT);
    this.#insert = database.prepare('INSERT INTO flat VALUES (?, ?, ?, ?, ?, ?)');
  }

  add(rows: Iterable<FlatRow>): void {
    for (const { row, key, line, fields, body, problem } of rows)
      this.#insert.run(row, key, line, fields, body, problem);
  }

  /** Groups of rows with the same key, in the order of their first rows. */
  *lots(keysAtOnce: number): Generator<Iterable<FlatRow>[]> {
    this.#database.exec(LOTS);
    const members = this.#database.prepare('SELECT * FROM flat WHERE key = ? ORDER BY row');
    const keys = this.#database.prepare(
      'SELECT first, key FROM lots WHERE first > ? ORDER BY first LIMIT ?',
    );
    for (let last = 0; ; ) {
      const next = keys.all(last, keysAtOnce) as unknown as { first: number; key: string }[];
      if (next.length === 0) break;
      last = next.at(-1)!.first;
      yield next.map(({ key }) => ({
        [Symbol.iterator]: () => members.iterate(key) as Iterator<unknown> as Iterator<FlatRow>,
      }));
    }
    this.#database.exec('DROP TABLE lots; DROP TABLE flat');
  }
}
