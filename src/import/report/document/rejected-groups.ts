import {
  NESTED,
  type Problem,
  problemIn,
  type StoredProblem,
  storedProblem,
} from '../../../core/problem/row-problem.ts';
import type { Lang } from '../../../core/text/phrase.ts';
import { sentence } from '../../../messages/problems.ts';
import { textOf } from '../../map/convert.ts';
import type { Mapping, Rule } from '../../map/mapping.ts';
import type { ListedRow } from '../../store/reported-rows.ts';
import type { Run } from '../../store/run-file.ts';
import { targetOf } from '../../targets/all-targets.ts';
import { targetFieldsOf } from '../rejected/rejected-file.ts';
import { brokenCells, partsOf } from '../rejected/rejected-rows.ts';

/** Rejected rows whose reasons differ only in values. */
export interface RejectedGroup {
  /** If it is not the same in all rows, `…` replaces its values. Undefined for the group of all others. */
  readonly reason: Problem | undefined;
  readonly count: number;
  readonly rows: readonly RejectedExample[];
}

interface RejectedExample extends Pick<ListedRow, 'row' | 'line' | 'code' | 'name' | 'status'> {
  readonly reason: StoredProblem | null;
  readonly cells: readonly Cell[];
}

interface Cell {
  readonly column: string;
  readonly value: string;
}

const MOST_GROUPS = 12;
export const MOST_PER_GROUP = 25;

/** Limits memory: in the worst case, every row has a different reason. */
const MOST_KINDS = 2_000;

interface Kind {
  readonly problem: Problem | undefined;
  same: StoredProblem | undefined;
  count: number;
  readonly rows: number[];
}

export function rejectedGroups(run: Run): readonly RejectedGroup[] {
  const kinds = new Map<string, Kind>();
  const others: Kind = { problem: undefined, same: undefined, count: 0, rows: [] };
  for (const { row, reason, status } of run.rows.reported.rejectedReasons()) {
    if (reason === null) continue;
    const own = problemIn(reason);
    const problem = withoutValues(own);
    const same = storedProblem(anywhere(own));
    const key = `${status} ${storedProblem(problem)}`;
    let kind = kinds.get(key);
    if (kind === undefined) {
      kind = kinds.size < MOST_KINDS ? { problem, same, count: 0, rows: [] } : others;
      if (kind !== others) kinds.set(key, kind);
    }
    kind.count++;
    if (kind.same !== same) kind.same = undefined;
    if (kind.rows.length < MOST_PER_GROUP) kind.rows.push(row);
  }
  const sorted = [...kinds.values()].sort((a, b) => b.count - a.count);
  for (const { count, rows } of sorted.splice(MOST_GROUPS)) {
    others.count += count;
    others.rows.push(...rows.slice(0, MOST_PER_GROUP - others.rows.length));
  }
  const example = exampleOf(run);
  const groups = sorted.map(({ problem, same, count, rows }) => ({
    reason: same === undefined ? problem : problemIn(same),
    count,
    rows: rows.map(example),
  }));
  if (others.count === 0) return groups;
  return [...groups, { reason: undefined, count: others.count, rows: others.rows.map(example) }];
}

/** Arguments that do not come from the row, e.g. names of fields and limits. */
const OF_NO_ROW: ReadonlySet<string> = new Set([
  ...[
    'file',
    'header',
    'path',
    'expression',
    'column',
    'columns',
    'encoding',
    'status',
    'limit',
    'levels',
  ],
  ...['most', 'least', 'expected', 'choices', 'decimal', 'kind', 'form', 'forms', 'key', 'name'],
  ...['property', 'reference', 'one', 'other', 'fields', 'error', 'character', 'within', 'or'],
  ...['before', 'mebibytes', 'seconds', 'cause'],
]);

function withoutValues(problem: Problem): Problem {
  const { args, place, also } = anywhere(problem);
  const masked =
    problem.code === 'service_says' ? { text: likeness(problem.args.text) } : mask(args);
  return {
    ...problem,
    args: masked,
    place: mask(place),
    also: also?.map(withoutValues),
  } as Problem;
}

/** The problem as it is in any row. */
function anywhere(problem: Problem): Problem {
  const { row: _row, line: _line, path, ...place } = problem.place ?? {};
  if (place.file !== undefined) return problem;
  return {
    ...problem,
    place: { ...place, path: path?.replace(/\[\d+\]/g, '[]') },
    also: problem.also?.map(anywhere),
  };
}

/** The reason beside the row and its line, which it need not name again. */
export function reasonBeside({ row, line, reason }: RejectedExample, lang: Lang): string | null {
  if (reason === null) return null;
  const problem = problemIn(reason);
  const places = [problem, ...(problem.also ?? [])].map(({ place }) => place);
  const isThere = places.every(
    (place) => place?.row === row && (place.line ?? null) === line && place.path === undefined,
  );
  return sentence(isThere ? anywhere(problem) : problem, lang);
}

function mask(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mask);
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'string' || typeof value === 'number' ? '…' : value;
  }
  const members = Object.entries(value).map(([name, one]) => {
    if ((NESTED as readonly string[]).includes(name)) return [name, withoutValues(one as Problem)];
    // Which records are nearest differs from row to row.
    if (name === 'near') return [name, undefined];
    return [name, OF_NO_ROW.has(name) ? one : mask(one)];
  });
  return Object.fromEntries(members);
}

/** A text of the service without the words and numbers that look like values. */
function likeness(text: string): string {
  return text
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/\b[\p{L}\d]*\d[\p{L}\d_./-]{2,}/gu, '…');
}

function exampleOf(run: Run): (row: number) => RejectedExample {
  const {
    header,
    rows: { reported },
  } = run;
  const broken = brokenCells(run, targetFieldsOf(run));
  const { fields: rules } = header.mapping as Mapping;
  const key = targetOf(header.noun).keyField;
  return (number) => {
    const row = reported.withRecord(number)!;
    const parts = [...partsOf(row, header.run)].map((part) => ({
      part,
      fields: JSON.parse(part.own) as Record<string, unknown>,
    }));
    const cells = parts.flatMap(({ part, fields }) =>
      [...broken(part, fields)].flatMap((column) =>
        Object.hasOwn(fields, column) ? [{ column, value: textOf(fields[column]) ?? '' }] : [],
      ),
    );
    const { line, reason, status } = row;
    // A row that was rejected early has no code or name in the run's file, but perhaps in the source.
    const inSource = (rule: Rule | undefined) => {
      const value = parts.length === 1 ? cellOf(rule, parts[0]!.fields) : undefined;
      return value === undefined || value === '' ? null : value;
    };
    return {
      row: number,
      line,
      code: row.code ?? inSource(rules[key]),
      name: row.name ?? inSource(rules.name ?? rules.title),
      reason,
      status,
      cells,
    };
  };
}

function cellOf(
  rule: Rule | undefined,
  fields: Readonly<Record<string, unknown>>,
): string | undefined {
  return rule !== undefined && 'column' in rule ? textOf(fields[rule.column]) : undefined;
}
