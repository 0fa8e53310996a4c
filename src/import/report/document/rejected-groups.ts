import type { Journal } from '../../ledger/journal.ts';
import type { ListedRow } from '../../ledger/rows/reported-rows.ts';
import { textOf } from '../../map/convert.ts';
import type { Mapping, Rule } from '../../map/mapping.ts';
import { IMPORT_TARGETS } from '../../targets/all-targets.ts';
import { brokenCells } from '../rejected/broken-cells.ts';
import { partsOf } from '../rejected/rejected-rows.ts';
import { targetFieldsOf } from '../rejected/rejected-workbook.ts';

/** Rejected rows whose reasons differ only in values. */
export interface RejectedGroup {
  /**
   * The reason. If it is not the same in all rows, `…` replaces its values. Undefined for the group
   * of all other reasons.
   */
  readonly reason: string | undefined;
  readonly count: number;
  readonly rows: readonly RejectedExample[];
}

interface RejectedExample extends Pick<ListedRow, 'row' | 'line' | 'code' | 'name' | 'status'> {
  readonly reason: string;
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
  readonly name: string;
  same: string | undefined;
  count: number;
  readonly rows: number[];
}

export function rejectedGroups(journal: Journal): readonly RejectedGroup[] {
  const kinds = new Map<string, Kind>();
  const others: Kind = { name: '', same: undefined, count: 0, rows: [] };
  for (const { row, reason, status } of journal.reported.rejectedReasons()) {
    const text = reason ?? '';
    const name = kindOf(text);
    // A reason with a status may be text of the service, which a Spanish report does not translate:
    // keep it apart.
    const key = status === null ? name : `${status} ${name}`;
    let kind = kinds.get(key);
    if (kind === undefined) {
      kind = kinds.size < MOST_KINDS ? { name, same: text, count: 0, rows: [] } : others;
      if (kind !== others) kinds.set(key, kind);
    }
    kind.count++;
    if (kind.same !== text) kind.same = undefined;
    if (kind.rows.length < MOST_PER_GROUP) kind.rows.push(row);
  }
  const sorted = [...kinds.values()].sort((a, b) => b.count - a.count);
  for (const { count, rows } of sorted.splice(MOST_GROUPS)) {
    others.count += count;
    others.rows.push(...rows.slice(0, MOST_PER_GROUP - others.rows.length));
  }
  const example = exampleOf(journal);
  const groups = sorted.map(({ name, same, count, rows }) => ({
    reason: same ?? name,
    count,
    rows: rows.map(example),
  }));
  if (others.count === 0) return groups;
  return [...groups, { reason: undefined, count: others.count, rows: others.rows.map(example) }];
}

function kindOf(reason: string): string {
  return reason
    .replace(/, got .*$/s, ', got …')
    .replace(/(column )?"(?:[^"\\]|\\.)*"/g, (found, column) => (column ? found : '"…"'))
    .replace(/\b[\p{L}\d]*\d[\p{L}\d_./-]{2,}/gu, '…');
}

function exampleOf(journal: Journal): (row: number) => RejectedExample {
  const { header, reported } = journal;
  const broken = brokenCells(journal, targetFieldsOf(journal));
  const { fields: rules } = header.mapping as Mapping;
  const key = IMPORT_TARGETS.find(({ noun }) => noun === header.noun)?.keyField ?? 'code';
  return (number) => {
    const row = reported.rejectedRow(number)!;
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
    // A row that was rejected early has no code or name in the journal, but perhaps in the source.
    const inSource = (rule: Rule | undefined) => {
      const value = parts.length === 1 ? cellOf(rule, parts[0]!.fields) : undefined;
      return value === undefined || value === '' ? null : value;
    };
    return {
      row: number,
      line,
      code: row.code ?? inSource(rules[key]),
      name: row.name ?? inSource(rules.name ?? rules.title),
      reason: reason ?? '',
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
