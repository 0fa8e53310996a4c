import type { Finding, FindingSample } from '../../messages/findings.ts';
import type { Journal } from '../ledger/journal.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import { foldSpelling, SpellingIndex } from './spelling-index.ts';

const NAMED = 3;

/**
 * Finds pending rows whose code differs only in spelling from an existing code or an earlier row.
 */
export function twins(journal: Journal, { keyField }: Pick<ImportTarget, 'keyField'>): Finding[] {
  const { catalogue, planned } = journal;
  const index = new SpellingIndex(catalogue.counts().coded + journal.counts().pending);
  for (const codes of catalogue.codes()) for (const code of codes) index.add(code);
  let count = 0;
  const named: string[] = [];
  for (const codes of planned.pendingCodes()) {
    for (const code of codes) {
      if (index.add(code) !== 'twin') continue;
      if (count++ < NAMED) named.push(code);
    }
  }
  if (count === 0) return [];
  const others = firstSpellings(journal, named);
  const samples = named.map(
    (code): FindingSample => ({
      ...inFile(code, journal),
      other: others.get(foldSpelling(code)),
    }),
  );
  return [{ kind: 'twins', field: keyField, count, samples }];
}

/** By folded spelling: the code that came before the twin. */
function firstSpellings(
  journal: Journal,
  twins: readonly string[],
): ReadonlyMap<string, FindingSample> {
  const wanted = new Set(twins.map(foldSpelling));
  const found = new Map<string, FindingSample>();
  const look = (code: string, sample: (code: string) => FindingSample) => {
    const folded = foldSpelling(code);
    if (wanted.has(folded) && !found.has(folded)) found.set(folded, sample(code));
  };
  const existing = (value: string): FindingSample => ({ value });
  for (const codes of journal.catalogue.codes()) for (const code of codes) look(code, existing);
  for (const codes of journal.planned.pendingCodes()) {
    if (found.size === wanted.size) break;
    for (const code of codes) look(code, (value) => inFile(value, journal));
  }
  return found;
}

function inFile(value: string, { planned }: Journal): FindingSample {
  const [row] = planned.pendingWith(value) as [number];
  return { value, row, line: planned.lineOf(row) };
}
