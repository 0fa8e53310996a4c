import { DEFAULT_DIALECT, DIALECT_KEYS, OVERRIDABLE, parseDialect } from '../../client/dialect.ts';
import type { Dialect } from '../../core/service-target.ts';
import { type Finding, isUsable } from './finding.ts';

type Usable = Finding & { readonly name: string };

type Words = Partial<Record<(typeof DIALECT_KEYS)[number], string>>;

export type Findings = ReadonlyMap<string, readonly Finding[]>;

/**
 * Adds the detected names to the dialect `text`. A name that all nouns share appears once, e.g.
 * `limit=top`; any other name appears per noun, e.g. `orders.limit=top`.
 */
export function learnedDialect(text: string, findings: Findings): string {
  const { all, byNoun } = parseDialect(text, 'the dialect in use');
  const words = new Map<string, Words>();
  for (const noun of OVERRIDABLE) {
    const found = findings.get(noun) ?? [];
    const own: Words = asWords({ ...all, ...byNoun[noun] });
    for (const finding of found) if (isUsable(finding)) apply(own, finding);
    words.set(noun, own);
  }
  const pairs: string[] = [];
  for (const key of DIALECT_KEYS) {
    const values = [...words.values()].map((own) => own[key]);
    const [first] = values;
    if (first !== undefined && values.every((value) => value === first)) {
      pairs.push(`${key}=${first}`);
      continue;
    }
    for (const [noun, own] of words) {
      if (own[key] !== undefined) pairs.push(`${noun}.${key}=${own[key]}`);
    }
  }
  return pairs.join(',');
}

function asWords(dialect: Partial<Dialect>): Words {
  return Object.fromEntries(
    Object.entries(dialect)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, String(value)]),
  );
}

function apply(words: Words, finding: Usable): void {
  if (finding.word !== 'position') {
    words[finding.word] = finding.name;
    // A list with a limit has pages, so `paging=none` no longer holds.
    if (finding.word === 'limit') delete words.paging;
  } else if (finding.page === undefined) {
    words.offset = finding.name;
    delete words.page;
    delete words.pageBase;
  } else {
    words.page = finding.name;
    words.pageBase = String(finding.page.base);
  }
}

export function agrees(dialect: Dialect, finding: Usable): boolean {
  if (finding.word === 'limit' && dialect.paging === 'none') return false;
  if (finding.word !== 'position') return dialect[finding.word] === finding.name;
  if (finding.page === undefined) {
    return dialect.page === undefined && dialect.offset === finding.name;
  }
  return dialect.page === finding.name && dialect.pageBase === finding.page.base;
}

export function inUse(dialect: Dialect, word: Finding['word']): string {
  if (word === 'limit' && dialect.paging === 'none') return 'paging=none';
  if (word !== 'position') return dialect[word] ?? DEFAULT_DIALECT[word];
  return dialect.page === undefined ? dialect.offset : `${dialect.page} (from ${dialect.pageBase})`;
}
