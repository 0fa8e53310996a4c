import { sentenceIn } from '../../core/problem/sentence.ts';
import type { Column, Row } from '../../core/result.ts';
import { parseResponse } from '../../core/text/strict-json.ts';
import { textOf } from '../map/convert.ts';
import type { Mapping } from '../map/mapping.ts';
import { isSent } from '../phases.ts';
import type { ListedRow, RowWithRecord } from '../store/reported-rows.ts';
import type { Run } from '../store/run-file.ts';
import { targetOf } from '../targets/all-targets.ts';
import { shapeOf } from '../targets/import-target.ts';

/**
 * The layout of a row of a run, the same in `imports rows`, in the file of `--results`, and in the
 * file of rejected rows, which has the columns of the source instead of those of the fields.
 */
const OF_ROW = [
  ...(['row', 'line', 'state', 'code', 'name', 'id', 'status'] as const),
  ...(['reason', 'sentAt'] as const),
] as const;

type OfRow = Record<(typeof OF_ROW)[number], string | number | null>;

const COLUMNS: readonly Column[] = [
  { key: 'row', header: 'ROW', kind: 'number', priority: 4 },
  { key: 'line', header: 'LINE', kind: 'number' },
  { key: 'state', header: 'STATE', priority: 4 },
  { key: 'code', header: 'CODE', priority: 3 },
  { key: 'id', header: 'ID', priority: 2 },
  { key: 'reason', header: 'REASON', priority: 2 },
];

/** What the source has for a row from which no body could be made. */
const RECORD = 'record';
/** The lines of a requisition, the only field that is longer than a cell of a workbook. */
export const LINES = 'groups';

export interface RowLayout {
  /** All fields of a row, in order. */
  readonly fields: readonly string[];
  /** For a table on a terminal. */
  readonly columns: readonly Column[];
  rows(state?: ListedRow['state']): Iterable<Row>;
}

export function rowLayout(run: Run): RowLayout {
  const values = new Values(run);
  // Before anything is sent, a person reviews the values.
  const priority = isSent(run.phase) ? 0 : 1;
  const more = values.names.map((key) => ({ key, header: key, priority }));
  return {
    fields: [...OF_ROW, ...values.names, RECORD],
    columns: [...COLUMNS, ...more],
    *rows(state) {
      for (const row of run.rows.reported.withRecords(state)) {
        yield { ...ofRow(row), ...values.of(row) };
      }
    },
  };
}

/** The reason as a sentence. */
export function ofRow(row: RowWithRecord): OfRow {
  const { sentAt, line, state, code, name, id, status } = row;
  return {
    ...{ row: row.row, line, state, code, name, id, status },
    reason: sentenceIn(row.reason),
    sentAt: sentAt === null ? null : new Date(sentAt).toISOString(),
  };
}

/** The fields of the body, each a column; for a row without a body, the cells that would fill them. */
class Values {
  readonly names: readonly string[];
  /** By field of the body, if it is a copy of one column. */
  readonly #columns: ReadonlyMap<string, string>;

  constructor({ header: { noun, groupBy, mapping } }: Run) {
    const { fields } = mapping as Mapping;
    const target = targetOf(noun);
    const { references = [] } = shapeOf(target, groupBy);
    const own = new Set(target.fields.fields.map((field) => field.name));
    const columns = new Map<string, string | undefined>();
    for (const [name, rule] of Object.entries(fields)) {
      const into = references.find(({ field }) => field === name)?.into ?? name;
      if (own.has(into)) columns.set(into, 'column' in rule ? rule.column : columns.get(into));
    }
    for (const { name, currency } of target.fields.fields) {
      // The cell of an amount may fill it.
      if (currency !== undefined && columns.has(name) && !columns.has(currency)) {
        columns.set(currency, undefined);
      }
    }
    if (groupBy !== undefined) columns.set(LINES, undefined);
    const shown: readonly string[] = OF_ROW;
    this.names = [...columns.keys()].filter((name) => !shown.includes(name));
    this.#columns = new Map([...columns].filter((one): one is [string, string] => !!one[1]));
  }

  of({ body, fields }: RowWithRecord): Row {
    if (body !== null) {
      const payload = parseResponse(body) as Row;
      const values = this.names.map((name) => [name, payload[name] ?? null]);
      return { ...Object.fromEntries(values), [RECORD]: null };
    }
    const record = fields === null ? null : (parseResponse(fields) as Row | readonly Row[]);
    const first: Row | null = Array.isArray(record) ? (record[0] ?? null) : (record as Row | null);
    const values = this.names.map((name) => {
      const cell = first?.[this.#columns.get(name) ?? ''];
      return [name, textOf(cell) ?? null];
    });
    return { ...Object.fromEntries(values), [RECORD]: record };
  }
}
