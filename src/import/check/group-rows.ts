import type { DatabaseSync } from 'node:sqlite';
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
import { textOf } from '../../core/text/raw-number.ts';
import { parseResponse } from '../../core/text/strict-json.ts';
import { placeOf } from '../report/words.ts';
import { GROUP_COLUMN, type MappedRow } from '../source/record.ts';
import type { FlatRow as FlatRecord, ImportTarget } from '../targets/import-target.ts';
import type { Locate } from './locate.ts';

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
  database.exec(FLAT);
  const insert = database.prepare('INSERT INTO flat VALUES (?, ?, ?, ?, ?, ?)');
  const aside: MappedRow[] = [];
  let hasKeys = false;
  for await (const batch of batches) {
    for (const read of batch) {
      if (read.isNotData === true) {
        aside.push(read);
        continue;
      }
      const { row, key, line, own, body, problem } = stored(read, column);
      if (!key.startsWith('\0')) hasKeys = true;
      else if (read.isUnread === true || (hasKeys && hasCells(read))) throw unclear(read, column);
      insert.run(row, key, line, own, body, problem);
    }
  }
  let groups: MappedRow[] = [];
  for (const rows of groupsIn(database)) {
    groups.push(groupedRow(rows, grouping));
    if (groups.length < GROUPS_PER_BATCH) continue;
    yield groups;
    groups = [];
  }
  yield [...groups, ...aside];
  database.exec('DROP TABLE flat');
}

/** In the order of their first rows. */
function* groupsIn(database: DatabaseSync): Generator<FlatRow[]> {
  const all = database.prepare(
    'SELECT *, min(row) OVER (PARTITION BY key) AS first FROM flat ORDER BY first, row',
  );
  let group: FlatRow[] = [];
  for (const row of all.iterate() as Iterable<unknown> as Iterable<FlatRow>) {
    if (group.length > 0 && row.key !== group[0]!.key) {
      yield group;
      group = [];
    }
    group.push(row);
  }
  if (group.length > 0) yield group;
}

/** The row may be a part of a body, which must not be sent without it. */
function unclear({ row, line, problem, isUnread }: MappedRow, column: string): ProcError {
  const name = JSON.stringify(column);
  const why =
    isUnread === true && problem !== undefined
      ? sentence(problem)
      : `${placeOf(row, line)}: column ${name} is empty`;
  return new ProcError(
    'invalid_input',
    `${why}, so it is not clear to which ${name} the row belongs; nothing was sent`,
    { hint: 'Correct the row', details: { row, column } },
  );
}

function hasCells({ fields }: MappedRow): boolean {
  return Object.values(fields ?? {}).some(
    (value) => textOf(value)?.trim() !== '' && value !== null,
  );
}

function stored(row: MappedRow, column: string): FlatRow {
  const { fields = {} } = row;
  const value = Object.hasOwn(fields, column) ? textOf(fields[column])?.trim() : '';
  const isAlone = value === undefined || value === '';
  const problem: Problem | undefined =
    row.problem ?? (isAlone ? { text: `column ${JSON.stringify(column)} is empty` } : undefined);
  return {
    row: row.row,
    // A row without a value is a group of its own. The NUL keeps its key apart from the values of
    // the column.
    key: isAlone ? `\0${row.row}` : value,
    line: row.line ?? null,
    // With its group and number, for the file of rejected rows.
    own: JSON.stringify({ [GROUP_COLUMN]: value, ...row.own, _row: row.row }),
    body: row.body === undefined ? null : JSON.stringify(row.body),
    problem: problem === undefined ? null : storedProblem(problem),
  };
}

function groupedRow(
  rows: readonly FlatRow[],
  { assemble, locate }: Pick<Grouping, 'assemble' | 'locate'>,
): MappedRow {
  const problems: Problem[] = [];
  const flat: FlatRecord[] = [];
  for (const { row, line, problem, body } of rows) {
    const place = { row, line: line ?? undefined };
    if (problem !== null) problems.push(ofRow(problemIn(problem), place, locate));
    if (body !== null) flat.push({ place, body: JSON.parse(body), isWhole: problem === null });
  }
  const { row, line } = rows[0]!;
  const own = rows.map((one) => parseResponse(one.own) as Record<string, unknown>);
  const common = { row, line: line ?? undefined, fields: undefined, own };
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

/** On the disk, until the whole source is read, so that memory stays bounded. */
const FLAT = `
CREATE TABLE flat (row INTEGER PRIMARY KEY, key TEXT NOT NULL, line INTEGER, own TEXT NOT NULL, body TEXT, problem TEXT)`;

interface FlatRow {
  readonly row: number;
  readonly key: string;
  readonly line: number | null;
  /** JSON text. */
  readonly own: string;
  /** JSON text. */
  readonly body: string | null;
  readonly problem: StoredProblem | null;
}
