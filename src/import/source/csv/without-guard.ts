import { unguarded, unmarked } from '../../../core/text/formula-guard.ts';
import type { Source, SourceRecord } from '../record.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Removes the apostrophes that proc's exports put before cells that look like formulas. Otherwise
 * proc would not recognise its own exported rows. In CSV files it also removes the marks with which
 * other programs keep leading zeros (`="00123"`, `'00123`), and notes cells that still begin with one.
 */
export function withoutGuard(source: Source): Source {
  if (source.format.kind !== 'csv') return source;
  // The text of a workbook's cell is data: a workbook needs no marks.
  const isText = source.format.workbook === undefined;
  let count = 0;
  let formulas: string[] = [];
  const restored = (record: SourceRecord): SourceRecord => {
    formulas = [];
    const fields = plain(record.fields);
    const found = formulas;
    const salvaged = plain(record.salvaged);
    if (found.length > 0) return { ...record, fields, salvaged, formulas: found };
    return fields === record.fields && salvaged === record.salvaged
      ? record
      : { ...record, fields, salvaged };
  };
  function plain<F extends Fields>(fields: F | undefined): F | undefined {
    let own: Record<string, unknown> | undefined;
    for (const name in fields) {
      const value = fields[name];
      if (typeof value !== 'string') continue;
      const isMarked = value.startsWith('=');
      if (!isMarked && !value.includes("'")) continue;
      const found = isText ? unmarked(value.trim()) : { text: unguarded(value), isBare: false };
      if (found.isBare) formulas.push(name);
      if (found.text === value || found.text === value.trim()) continue;
      own ??= { ...fields };
      own[name] = found.text;
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
