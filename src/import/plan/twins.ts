import { PairIndex } from '../../listing/pair-index.ts';
import { foldSpelling } from '../../listing/spelling.ts';
import type { Finding, FindingSample } from '../../messages/findings.ts';
import type { Run } from '../store/run-file.ts';
import type { ImportTarget } from '../targets/import-target.ts';

const NAMED = 3;

interface FoundTwins {
  readonly findings: readonly Finding[];
  /** Number of codes that differ only in spelling from an existing code. */
  readonly ofExisting: number;
}

/** The codes that a write would create. */
interface NewCodes {
  readonly count: number;
  codes(): Iterable<string>;
  /** Whether the catalogue has exactly this code, so that it is none of the new ones. */
  exists?(code: string): boolean;
  /** Describes a code with its place. Without it, only twins of existing records are found. */
  sampleOf?(code: string): FindingSample;
  /** Called for each code that is a twin. */
  onTwin?(code: string): void;
}

/**
 * Finds new codes that differ only in spelling from an existing code, or from an earlier new one.
 */
export class Twins {
  readonly #field: string;
  readonly #ours: NewCodes;
  /** The new codes, by folded spelling. */
  readonly #index: PairIndex;
  /** Codes of the catalogue that are twins of a new code, by folded spelling. */
  readonly #existing = new Map<string, string>();
  /** Folded spellings that several new codes have. */
  readonly #several = new Set<string>();

  constructor(ours: NewCodes, field = 'code') {
    this.#field = field;
    this.#ours = ours;
    this.#index = new PairIndex(ours.count);
    for (const code of ours.codes()) {
      const folded = foldSpelling(code);
      if (this.#index.add(folded, code) === 'other') this.#several.add(folded);
    }
  }

  /** Called for each code of the catalogue. Those that `exists` tells may be left out. */
  readonly see = (code: string): void => {
    const folded = foldSpelling(code);
    const seen = this.#index.look(folded, code);
    if (seen === 'new') return;
    const isTwin = seen === 'other' || this.#several.has(folded);
    if (isTwin && !this.#existing.has(folded)) this.#existing.set(folded, code);
  };

  found(): FoundTwins {
    if (this.#existing.size + this.#several.size === 0) return { findings: [], ofExisting: 0 };
    const { codes, exists = () => false, sampleOf, onTwin } = this.#ours;
    for (const code of codes()) {
      const folded = foldSpelling(code);
      if (this.#several.has(folded) && exists(code)) this.#existing.set(folded, code);
    }
    const first = new Map<string, string>();
    const counted = new Set<string>();
    const samples: FindingSample[] = [];
    let ofExisting = 0;
    for (const code of codes()) {
      const folded = foldSpelling(code);
      const existing = this.#existing.get(folded);
      const isSuspect = existing !== undefined || this.#several.has(folded);
      if (!isSuspect || counted.has(code) || exists(code)) continue;
      const earlier = first.get(folded);
      if (existing === undefined && earlier === undefined) first.set(folded, code);
      if ((existing ?? earlier ?? code) === code) continue;
      if (existing === undefined && sampleOf === undefined) continue;
      counted.add(code);
      onTwin?.(code);
      if (existing !== undefined) ofExisting++;
      if (counted.size > NAMED) continue;
      const other = earlier === undefined ? { value: existing! } : sampleOf!(earlier);
      samples.push({ ...(sampleOf?.(code) ?? { value: code }), other });
    }
    const { size: count } = counted;
    const field = this.#field;
    return { findings: count === 0 ? [] : [{ kind: 'twins', field, count, samples }], ofExisting };
  }
}

/** Twins among the pending rows of a run. */
export function twins(run: Run, { keyField }: Pick<ImportTarget, 'keyField'>): FoundTwins {
  const { catalogue, planned, findings } = run.rows;
  const ours = {
    count: run.counts().pending,
    *codes() {
      for (const codes of planned.pendingCodes()) yield* codes;
    },
    sampleOf(value: string) {
      const [row] = planned.pendingWith(value) as [number];
      return { value, row, line: run.rows.at(row)!.line };
    },
    onTwin(value: string) {
      const found = { kind: 'twins', field: keyField, sample: { value } } as const;
      for (const row of planned.pendingWith(value)) findings.add(row, [found]);
    },
  };
  const found = new Twins(ours, keyField);
  for (const codes of catalogue.codes()) for (const code of codes) found.see(code);
  return run.commit(() => found.found());
}
