import { ProcError } from '../../core/errors.ts';
import { textOf } from '../../core/numbers.ts';
import {
  eachOf,
  type Problem,
  type ProblemPlace,
  sentence,
  together,
} from '../../core/row-problem.ts';
import { placeOf } from '../report/words.ts';
import { GROUP_COLUMN, type MappedRow } from '../source/record.ts';
import type { ImportTarget } from '../targets/import-target.ts';
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
  batches: AsyncIterable<readonly MappedRow[]>,
  { column, ...grouping }: Grouping,
): AsyncGenerator<readonly MappedRow[]> {
  const groups = new Map<string | number, MappedRow[]>();
  const aside: MappedRow[] = [];
  let hasValues = false;
  for await (const batch of batches)
    for (const read of batch) {
      if (read.isNotData === true) {
        aside.push(read);
        continue;
      }
      const value = valueIn(read, column);
      hasValues ||= value !== undefined;
      if (value === undefined && (read.isUnread === true || (hasValues && hasCells(read))))
        throw unclear(read, column);
      // A row without a value is a group of its own.
      const key = value ?? read.row;
      const problem = read.problem ?? (value === undefined ? emptyIn(column) : undefined);
      groups.set(key, groups.get(key) ?? []);
      groups.get(key)!.push({ ...read, fields: undefined, problem });
    }
  let bodies: MappedRow[] = [];
  for (const [key, rows] of groups) {
    bodies.push(groupedRow(key, rows, grouping));
    groups.delete(key);
    if (bodies.length < GROUPS_PER_BATCH) continue;
    yield bodies;
    bodies = [];
  }
  yield [...bodies, ...aside];
}

function valueIn({ fields = {} }: MappedRow, column: string): string | undefined {
  const value = Object.hasOwn(fields, column) ? textOf(fields[column])?.trim() : undefined;
  return value === '' ? undefined : value;
}

function emptyIn(column: string): Problem {
  return { text: `column ${JSON.stringify(column)} is empty` };
}

/** The row may be a part of a body, which must not be sent without it. */
function unclear({ row, line, problem, isUnread }: MappedRow, column: string): ProcError {
  const why =
    isUnread === true && problem !== undefined
      ? sentence(problem)
      : `${placeOf(row, line)}: ${emptyIn(column).text}`;
  return new ProcError(
    'invalid_input',
    `${why}, so it is not clear to which ${JSON.stringify(column)} the row belongs; nothing was sent`,
    { hint: 'Correct the row', details: { row, column } },
  );
}

function hasCells({ fields }: MappedRow): boolean {
  return Object.values(fields ?? {}).some(
    (value) => textOf(value)?.trim() !== '' && value !== null,
  );
}

function groupedRow(
  key: string | number,
  rows: readonly MappedRow[],
  { assemble, locate }: Pick<Grouping, 'assemble' | 'locate'>,
): MappedRow {
  const { row, line } = rows[0]!;
  const group = typeof key === 'string' ? { [GROUP_COLUMN]: key } : {};
  // Each row with its group and number, for the file of rejected rows.
  const own = rows.map((one) => ({ ...group, ...one.own, _row: one.row }));
  const problems = rows.flatMap((one) => one.problem && ofRow(one.problem, one, locate));
  const flat = rows.flatMap(({ body, problem, ...place }) =>
    body === undefined ? [] : [{ place, body, isWhole: problem === undefined }],
  );
  const common = { row, line, fields: undefined, own };
  if (flat.length === 0) return { ...common, body: undefined, problem: together(problems) };
  const { body, lines, problems: more } = assemble(flat);
  problems.push(...more.map((one) => ofRow(one.problem, one.place, locate)));
  return { ...common, body, lines, problem: together(problems) };
}

/** A problem that names its place in the file keeps it. */
function ofRow(
  problem: Problem,
  { row, line }: ProblemPlace & { readonly row: number },
  locate: Locate,
): Problem {
  const place = { row, line };
  if (problem.place?.file !== undefined) return { text: sentence(problem), place };
  const found = eachOf(locate(problem, place));
  return together(found.map((one) => ({ ...one, place: { ...one.place, ...place } })))!;
}
