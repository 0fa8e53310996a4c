import { parseResponse } from '../../core/json.ts';
import type { Column, Row } from '../../core/result.ts';
import {
  problemIn,
  type StoredProblem,
  sentence,
  sentenceIn,
  together,
} from '../../core/row-problem.ts';
import type { StoredRow } from '../../ledger/run-queries.ts';
import { columnsOf } from '../map/mapping.ts';
import type { RunHeader } from '../run-header.ts';
import { GROUP_COLUMN } from '../source/record.ts';
import { targetOf } from '../targets/all-targets.ts';
import { shapeOf } from '../targets/import-target.ts';
import { outcomeOf } from './run-summary.ts';

const OF_ROW = [
  ...(['row', 'line', 'state', 'code', 'name', 'id', 'status'] as const),
  ...(['reason', 'sentAt'] as const),
] as const;

const COLUMNS: readonly Column[] = [
  { key: 'row', header: 'ROW', kind: 'number', priority: 4 },
  { key: 'line', header: 'LINE', kind: 'number' },
  { key: 'state', header: 'STATE', priority: 4 },
  { key: 'code', header: 'CODE', priority: 3 },
  { key: 'id', header: 'ID', priority: 2 },
  { key: 'reason', header: 'REASON', priority: 2 },
];

/** A row of the ledger or of a draft. */
export type AnyRow = Omit<StoredRow, 'state' | 'code' | 'sentAt' | 'status'> &
  Partial<Pick<StoredRow, 'code' | 'sentAt' | 'status'>> & { readonly state: string };

/** How a row is shown by `imports rows`, and written by `--results`. */
export interface RowLayout {
  readonly fields: readonly string[];
  /** For a table on a terminal. */
  readonly columns: readonly Column[];
  record(row: AnyRow): Row;
}

/** What the layout of rows depends on. */
export type LaidOut = Pick<RunHeader, 'noun' | 'groupBy' | 'mapping'>;

export function rowLayout(header: LaidOut): RowLayout {
  const target = targetOf(header.noun);
  const { references = [] } = shapeOf(target, header.groupBy);
  const mapped = Object.keys(header.mapping.fields).map(
    (name) => references.find(({ field }) => field === name)?.into ?? name,
  );
  const own = target.fields.map(({ name }) => name);
  const shown: readonly string[] = OF_ROW;
  const names = own.filter(
    (name) =>
      !shown.includes(name) &&
      (mapped.includes(name) || name === 'currency' || header.groupBy !== undefined),
  );
  return {
    fields: [...OF_ROW, ...names],
    columns: [...COLUMNS, ...names.map((key) => ({ key, header: key, priority: 0 }))],
    record(row) {
      const values: Row = recordsOf(row)[0] ?? {};
      const { sentAt = null, status = null } = row;
      return {
        ...{ row: row.row, line: row.line, state: outcomeOf(row.state, header) },
        code: values[target.keyField] ?? row.code ?? row.key,
        name: values.name ?? values.title ?? null,
        ...{ id: row.id, status, reason: reasonOf(row) },
        sentAt: sentAt === null ? null : new Date(sentAt).toISOString(),
        ...Object.fromEntries(names.map((name) => [name, values[name] ?? null])),
      };
    },
  };
}

export function reasonOf({ reason, state }: Pick<AnyRow, 'reason' | 'state'>): string | null {
  if (reason !== null) return sentenceIn(reason as StoredProblem);
  return state === 'rejected' ? 'its key was sent with other values since the plan' : null;
}

/** As {@link reasonOf}, for one of several source rows that form a body: null if others are the reason. */
export function reasonAt(row: AnyRow, at: number): string | null {
  if (row.reason === null) return reasonOf(row);
  const { also = [], ...first } = problemIn(row.reason as StoredProblem);
  const own = together([first, ...also].filter(({ place }) => (place?.row ?? row.row) === at));
  return own === undefined ? null : sentence(own);
}

/**
 * The values of a row under the fields' own names. A body of several source rows has as many records, each with its
 * number as `_row`.
 */
export function recordsOf({ body, source }: Pick<AnyRow, 'body' | 'source'>): readonly Row[] {
  const records = parseResponse(source ?? body ?? '{}') as Row | readonly Row[];
  return Array.isArray(records) ? records : [records as Row];
}

/** The names that every rejected row has, so that a person can fill in what is missing; in the order of the source. */
export function ownFields({ groupBy, mapping, noun, source }: RunHeader): readonly string[] {
  const { fields } = shapeOf(targetOf(noun), groupBy);
  const placed = fields.flatMap(({ name }) => {
    const rule = mapping.fields[name];
    if (rule === undefined) return [];
    const at = Math.min(...columnsOf(rule).map((column) => source.columns.indexOf(column)));
    return [{ name, at: at < 0 ? Number.POSITIVE_INFINITY : at }];
  });
  const names = placed.sort((a, b) => (a.at === b.at ? 0 : a.at - b.at)).map(({ name }) => name);
  return groupBy === undefined ? names : [GROUP_COLUMN, ...names];
}
