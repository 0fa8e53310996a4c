import type { Say } from '../../core/ports.ts';
import type { Row, RowsResult } from '../../core/result.ts';
import { nearest } from '../../core/text/nearest.ts';
import type { OutputPlan } from '../output-plan.ts';
import { fieldNames, valueAt } from './field-path.ts';
import { matches } from './where.ts';

/** Number of rows whose field names are kept, to suggest one for a misspelt field. */
const SAMPLE = 100;

/** Filters the rows of a list with `--where`, up to the limit, and collects what notices need. */
export interface Selection {
  readonly batches: AsyncIterable<readonly Row[]>;
  readonly seen: { fetched: number; matched: number };
  /** Prints notices and warnings after all rows are consumed. */
  report(say: Say): void;
}

export function select(
  rows: RowsResult['rows'],
  { where, fields = [] }: Pick<OutputPlan, 'where' | 'fields'>,
  limit = Number.POSITIVE_INFINITY,
): Selection {
  const seen = { fetched: 0, matched: 0 };
  const asked = new Map<string, { flag: string; found: boolean }>();
  for (const field of fields) asked.set(field, { flag: '--fields', found: false });
  for (const { field } of where) asked.set(field, { flag: '--where', found: false });
  const sample: Row[] = [];

  function look(row: Row): void {
    if (sample.length < SAMPLE) sample.push(row);
    for (const [field, state] of asked) {
      if (!state.found && valueAt(row, field) !== undefined) state.found = true;
    }
  }

  async function* batches(): AsyncGenerator<readonly Row[]> {
    for await (const batch of Symbol.asyncIterator in rows ? rows : [rows]) {
      seen.fetched += batch.length;
      if (asked.size > 0) batch.forEach(look);
      const kept = where.length === 0 ? batch : batch.filter((row) => matches(row, where));
      const room = limit - seen.matched;
      seen.matched += Math.min(kept.length, room);
      yield kept.length > room ? kept.slice(0, room) : kept;
      if (kept.length >= room) return;
    }
  }

  return {
    batches: batches(),
    seen,
    report(say) {
      if (seen.fetched > 0) reportMissing(asked, sample, say);
      if (where.length > 0) {
        const rowsMatch = seen.fetched === 1 ? 'row matches' : 'rows match';
        say({
          kind: 'notice',
          text:
            seen.matched === limit
              ? `--where: showing the first ${limit} matching rows of ${seen.fetched} fetched (--limit)`
              : `--where: ${seen.matched} of ${seen.fetched} fetched ${rowsMatch}`,
        });
      }
    },
  };
}

/** Warns about each field that no row has. */
export function reportMissing(
  asked: ReadonlyMap<string, { readonly flag: string; readonly found: boolean }>,
  sample: readonly Row[],
  say: Say,
): void {
  const names = fieldNames(sample);
  for (const [field, { flag, found }] of asked) {
    if (found) continue;
    const near = nearest(field, names);
    const more =
      near === undefined ? `; use one of: ${[...names].join(', ')}` : `; did you mean ${near}?`;
    say({ kind: 'warning', text: `${flag}: no row has a field "${field}"${more}` });
  }
}
