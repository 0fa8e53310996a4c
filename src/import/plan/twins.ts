import type { Finding, FindingSample } from '../../messages/findings.ts';
import type { Journal } from '../ledger/journal.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import { foldSpelling, SpellingIndex } from './spelling-index.ts';

/** How many twins are named. */
const NAMED = 3;

/**
 * Codes to create that differ from an existing code, or from one in an earlier row, only in their
 * spelling. Counts the later ones, because each of them would be one item too many.
 */
export function twins(journal: Journal, { keyField }: Pick<ImportTarget, 'keyField'>): Finding[] {
  const { catalogue, planned } = journal;
  const index = new SpellingIndex(catalogue.counts().coded + journal.counts().pending);
  for (const codes of catalogue.codes()) for (const code of codes) index.add(code);
  let count = 0;
  const named: Twin[] = [];
  for (const batch of planned.pendingCodes()) {
    for (const { row, code } of batch) {
      if (index.add(code) !== 'twin') continue;
      if (count++ < NAMED) named.push({ row, code });
    }
  }
  if (count === 0) return [];
  const others = firstSpellings(journal, named);
  const samples = named.map(
    ({ row, code }): FindingSample => ({
      value: code,
      row,
      line: planned.lineOf(row),
      other: others.get(foldSpelling(code)),
    }),
  );
  return [{ kind: 'twins', field: keyField, count, samples }];
}

interface Twin {
  readonly row: number;
  readonly code: string;
}

/** The code that was there before each twin; by folded spelling. */
function firstSpellings(
  { catalogue, planned }: Journal,
  named: readonly Twin[],
): ReadonlyMap<string, FindingSample> {
  const wanted = new Set(named.map(({ code }) => foldSpelling(code)));
  const found = new Map<string, FindingSample>();
  const look = (code: string, place: () => Omit<FindingSample, 'value'>) => {
    const folded = foldSpelling(code);
    if (wanted.has(folded) && !found.has(folded)) found.set(folded, { value: code, ...place() });
  };
  for (const codes of catalogue.codes()) for (const code of codes) look(code, () => ({}));
  for (const batch of planned.pendingCodes()) {
    if (found.size === wanted.size) break;
    for (const { row, code } of batch) look(code, () => ({ row, line: planned.lineOf(row) }));
  }
  return found;
}
