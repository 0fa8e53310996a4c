import { unguarded } from '../../../core/text/formula-guard.ts';
import type { Source, SourceRecord } from '../record.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Removes the apostrophes that proc's exports put before cells that look like formulas. Otherwise
 * proc would not recognise its own exported rows.
 */
export function withoutGuard(source: Source): Source {
  if (source.format.kind !== 'csv') return source;
  let count = 0;
  const restored = (record: SourceRecord): SourceRecord => {
    const fields = plain(record.fields);
    const salvaged = plain(record.salvaged);
    return fields === record.fields && salvaged === record.salvaged
      ? record
      : { ...record, fields, salvaged };
  };
  function plain<F extends Fields>(fields: F | undefined): F | undefined {
    let own: Record<string, unknown> | undefined;
    for (const name in fields) {
      const value = fields[name];
      if (typeof value !== 'string' || !value.includes("'")) continue;
      const text = unguarded(value);
      if (text === value) continue;
      own ??= { ...fields };
      own[name] = text;
      count++;
    }
    return own === undefined ? fields : (own as F);
  }
  const head = source.head.map(restored);
  return {
    ...source,
    head,
    unguarded: () => count,
    async *records() {
      // A source may be read twice: count each cell once.
      count = 0;
      for await (const batch of source.records()) yield batch.map(restored);
    },
  };
}
