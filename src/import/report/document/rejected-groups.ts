import { isObject } from '../../../core/is-object.ts';
import {
  NESTED,
  type Problem,
  problemIn,
  type StoredProblem,
} from '../../../core/problem/row-problem.ts';
import { sentence } from '../../../messages/problems.ts';
import { textOf } from '../../map/convert.ts';
import type { Mapping, Rule } from '../../map/mapping.ts';
import type { ListedRow } from '../../store/reported-rows.ts';
import type { Run } from '../../store/run-file.ts';
import { targetOf } from '../../targets/all-targets.ts';
import { brokenCells, partsOf, targetFieldsOf } from '../rejected/rejected-file.ts';

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
  problem: Problem | undefined;
  count: number;
  readonly rows: number[];
}

export function rejectedGroups(run: Run): readonly RejectedGroup[] {
  const kinds = new Map<string, Kind>();
  const others: Kind = { problem: undefined, count: 0, rows: [] };
  for (const { row, reason, status } of run.rows.reported.rejectedReasons()) {
    if (reason === null) continue;
    const problem = anywhere(problemIn(reason));
    const key = JSON.stringify([status, kindOf(problem)]);
    let kind = kinds.get(key);
    if (kind === undefined) {
      kind = kinds.size < MOST_KINDS ? { problem, count: 0, rows: [] } : others;
      if (kind !== others) kinds.set(key, kind);
    } else {
      kind.problem = common(kind.problem, problem) as Problem;
    }
    kind.count++;
    if (kind.rows.length < MOST_PER_GROUP) kind.rows.push(row);
  }
  const sorted = [...kinds.values()].sort((a, b) => b.count - a.count);
  for (const { count, rows } of sorted.splice(MOST_GROUPS)) {
    others.count += count;
    others.rows.push(...rows.slice(0, MOST_PER_GROUP - others.rows.length));
  }
  const example = exampleOf(run);
  const groups = sorted.map(({ problem, count, rows }) => ({
    reason: problem,
    count,
    rows: rows.map(example),
  }));
  if (others.count === 0) return groups;
  return [...groups, { reason: undefined, count: others.count, rows: others.rows.map(example) }];
}

/** Arguments that choose the words of a sentence, or that say what to look for in a file. */
const TELLING = ['kind', 'outcome', 'error', 'character', 'status', 'decimal'];

/** What rows of a group have alike. */
function kindOf({ code, field, args, place, also }: Problem): unknown {
  const inside = args as Readonly<Partial<Record<(typeof NESTED)[number], Problem>>>;
  return [
    ...[code, field, place?.header, place?.path],
    ...TELLING.map((name) => (args as Readonly<Record<string, unknown>>)[name]),
    code === 'service_says' ? likeness(args.text) : undefined,
    ...NESTED.map((name) => inside[name] && kindOf(inside[name])),
    also?.map(kindOf),
  ];
}

/** A value that both have. `…` replaces a text or a number that differs. */
function common(one: unknown, other: unknown): unknown {
  if (one === other) return one;
  if (typeof one === 'string' || typeof one === 'number') return '…';
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length ? one.map((value, at) => common(value, other[at])) : ['…'];
  }
  if (!isObject(one) || !isObject(other)) return undefined;
  const members = Object.entries(one).map(([name, value]) => [name, common(value, other[name])]);
  return Object.fromEntries(members);
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
export function reasonBeside({ row, line, reason }: RejectedExample): string | null {
  if (reason === null) return null;
  const problem = problemIn(reason);
  const places = [problem, ...(problem.also ?? [])].map(({ place }) => place);
  const isThere = places.every(
    (place) => place?.row === row && (place.line ?? null) === line && place.path === undefined,
  );
  return sentence(isThere ? anywhere(problem) : problem);
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
