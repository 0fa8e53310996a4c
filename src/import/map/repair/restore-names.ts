import type { Source, SourceRecord } from '../../source/record.ts';
import { originalName } from './added-columns.ts';

/** Restores the names of the columns that proc added, e.g. `_Run` becomes `_run`. */
export function withOriginalNames(source: Source): Source {
  const columns = source.columns.map(originalName);
  const isSame = columns.every((column, at) => column === source.columns[at]);
  if (isSame || new Set(columns).size < columns.length) return source;
  return {
    ...source,
    columns,
    head: source.head.map(renamed),
    async *records() {
      for await (const batch of source.records()) yield batch.map(renamed);
    },
  };
}

function renamed(record: SourceRecord): SourceRecord {
  const { fields, salvaged } = record;
  return { ...record, fields: withNames(fields), salvaged: withNames(salvaged) };
}

function withNames<F extends Readonly<Record<string, unknown>>>(
  fields: F | undefined,
): F | undefined {
  if (fields === undefined) return undefined;
  const entries = Object.entries(fields).map(([column, value]) => [originalName(column), value]);
  return Object.fromEntries(entries) as F;
}
