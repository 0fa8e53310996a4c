import { closeSync, openSync, readSync } from 'node:fs';
import type { Source, SourceRecord } from '../../source/record.ts';

export const ADDED_COLUMNS = ['_run', '_row', '_reason', '_status', '_findings'] as const;

/** The column with the whole text of an unreadable record. */
export const RAW = '_raw';

export function isAddedColumn(column: string): boolean {
  return column === RAW || (ADDED_COLUMNS as readonly string[]).includes(column);
}

/** `_Run` becomes `_run`, for the columns that proc adds. Other columns keep their names. */
function originalName(column: string): string {
  const name = column.trim().toLowerCase();
  return isAddedColumn(name) ? name : column;
}

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

/** Enough for the header and the first rows, which have the name of the run. */
const HEAD_BYTES = 256 * 1024;

/**
 * Searches the first bytes of a file of rejected rows for the name of its run. Undefined if there is
 * none, as in most other files.
 */
export function runNamedIn(file: string): string | undefined {
  const head = Buffer.alloc(HEAD_BYTES);
  const handle = openSync(file, 'r');
  try {
    // In UTF-16, a NUL stands beside each character of `_run` and of the name.
    const text = head
      .toString('latin1', 0, readSync(handle, head, 0, HEAD_BYTES, 0))
      .replaceAll('\0', '');
    if (!/\b_run\b/i.test(text)) return undefined;
    return /\b\d{8}-\d{6}-[0-9a-f]{4}\b/.exec(text)?.[0];
  } finally {
    closeSync(handle);
  }
}
