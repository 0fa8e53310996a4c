import type { Say } from '../../core/ports.ts';
import type { Row, RowsResult } from '../../core/result.ts';
import { nearest } from '../../core/text/nearest.ts';
import { inShell } from '../../core/text/typed.ts';
import type { ValueTally } from '../format-loader.ts';
import type { OutputPlan } from '../output-plan.ts';
import { fieldNames, valueAt } from './field-path.ts';
import { matches } from './where.ts';

/** Number of rows kept, to suggest a field name for a misspelt field. */
const SAMPLE = 100;

export interface Selection {
  readonly batches: AsyncIterable<readonly Row[]>;
  readonly seen: { fetched: number; matched: number };
  report(say: Say): void;
}

export interface Selecting extends Pick<OutputPlan, 'where' | 'fields'> {
  readonly values?: ValueTally | undefined;
}

export function select(
  { rows, filter, limit = Number.POSITIVE_INFINITY }: Pick<RowsResult, 'rows' | 'filter' | 'limit'>,
  { where, fields = [], values }: Selecting,
): Selection {
  const seen = { fetched: 0, matched: 0 };
  const isFiltered = where.length > 0 || filter !== undefined;
  let isCut = false;
  const asked = new Map<string, { flag: string; found: boolean }>();
  for (const field of fields) asked.set(field, { flag: '--fields', found: false });
  for (const { field } of where) asked.set(field, { flag: '--where', found: false });
  const sample: Row[] = [];

  function noteFields(row: Row): void {
    if (sample.length < SAMPLE) sample.push(row);
    for (const [field, state] of asked) {
      if (!state.found && valueAt(row, field) !== undefined) state.found = true;
    }
  }

  function kept(batch: readonly Row[]): readonly Row[] {
    if (!isFiltered) return batch;
    if (seen.matched === 0 && values !== undefined) for (const row of batch) values.add(row);
    // The command's own filter counts rows that it cannot judge. So it must see every row, and comes
    // before `--where`.
    return batch.filter((row) => filter?.keeps(row) !== false && matches(row, where));
  }

  async function* matching(most: number): AsyncGenerator<readonly Row[]> {
    for await (const batch of Symbol.asyncIterator in rows ? rows : [rows]) {
      seen.fetched += batch.length;
      if (asked.size > 0) batch.forEach(noteFields);
      const found = kept(batch);
      const room = most - seen.matched;
      seen.matched += Math.min(found.length, room);
      isCut ||= found.length > room;
      yield found.length > room ? found.slice(0, room) : found;
      if (found.length >= room) return;
    }
    filter?.end();
  }

  const flags = [...(where.length > 0 ? ['--where'] : []), ...(filter?.flags ?? [])].join(', ');

  function matchCount(): string | undefined {
    const { fetched, matched } = seen;
    if (!isFiltered) return undefined;
    if (matched === limit) {
      return `${flags}: stopped at ${limit} ${limit === 1 ? 'match' : 'matches'} (--limit); read ${fetched} ${fetched === 1 ? 'row' : 'rows'}`;
    }
    const found = `${flags}: ${matched} of ${fetched} fetched ${fetched === 1 ? 'row matches' : 'rows match'}`;
    return isCut ? `${found}; showing the first ${limit} (--limit)` : found;
  }

  return {
    batches: matching(limit),
    seen,
    report(say) {
      if (seen.fetched > 0) reportMissing(asked, sample, say);
      for (const text of filter?.warnings() ?? []) say({ kind: 'warning', text });
      const count = matchCount();
      if (count !== undefined) say({ kind: 'notice', text: count });
      if (seen.matched > 0 || limit === 0) return;
      for (const sentence of values?.sentences() ?? []) say({ kind: 'notice', text: sentence });
      const several = where.find(({ operator, value }) => operator === '=' && value.includes(','));
      if (several === undefined) return;
      const condition = inShell(`${several.field} in ${several.value}`);
      say({ kind: 'notice', text: `For one of several values: --where ${condition}` });
    },
  };
}

type Asked = ReadonlyMap<string, { readonly flag: string; readonly found: boolean }>;

/** For a field that no row has. */
export function hintFor(field: string, names: ReadonlySet<string>): string {
  const near = nearest(field, names);
  return near === undefined ? `Fields: ${[...names].join(', ')}` : `Did you mean ${near}?`;
}

export function reportMissing(asked: Asked, sample: readonly Row[], say: Say): void {
  const names = fieldNames(sample);
  for (const [field, { flag, found }] of asked) {
    if (found) continue;
    const near = nearest(field, names);
    const more =
      near === undefined ? `; use one of: ${[...names].join(', ')}` : `; did you mean ${near}?`;
    say({ kind: 'warning', text: `${flag}: no row has a field "${field}"${more}` });
  }
}
