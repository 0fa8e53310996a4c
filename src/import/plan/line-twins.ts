import type { Finding, FindingSample } from '../../messages/findings.ts';
import { foldSpelling, SpellingIndex } from './spelling-index.ts';

const NAMED = 3;

interface Definitions {
  readonly count: number;
  codes(): Iterable<string>;
}

/**
 * Finds new items whose code differs only in spelling from an existing code, or from the code of
 * another line.
 */
export class LineTwins {
  readonly #definitions: Definitions;
  readonly #index: SpellingIndex;
  /** Codes of the catalogue that are twins of a code in a line, by folded spelling. */
  readonly #existing = new Map<string, string>();
  /** Folded spellings whose exact spelling differs from line to line. */
  readonly #several = new Set<string>();

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
    this.#index = new SpellingIndex(definitions.count);
    for (const code of definitions.codes()) {
      if (this.#index.add(code) === 'other') this.#several.add(foldSpelling(code));
    }
  }

  /** Called for each code of the catalogue that no line defines. */
  readonly see = (code: string): void => {
    if (this.#index.look(code) === 'other') this.#existing.set(foldSpelling(code), code);
  };

  /**
   * @param exists whether the catalogue has an item with exactly this code
   * @param sampleOf describes a code with its place; without it, only twins of existing items are
   * found
   */
  findings(
    exists: (code: string) => boolean,
    sampleOf?: (code: string) => FindingSample,
  ): Finding[] {
    if (this.#existing.size + this.#several.size === 0) return [];
    for (const code of this.#definitions.codes()) {
      const folded = foldSpelling(code);
      if (this.#several.has(folded) && exists(code)) this.#existing.set(folded, code);
    }
    const first = new Map<string, string>();
    const samples: FindingSample[] = [];
    let count = 0;
    for (const code of this.#definitions.codes()) {
      const folded = foldSpelling(code);
      const existing = this.#existing.get(folded);
      const isSuspect = existing !== undefined || this.#several.has(folded);
      if (!isSuspect || exists(code)) continue;
      const earlier = existing === undefined ? first.get(folded) : undefined;
      if (existing === undefined && earlier === undefined) first.set(folded, code);
      else if (existing !== undefined || sampleOf !== undefined) {
        if (count++ >= NAMED) continue;
        const other = earlier === undefined ? { value: existing! } : sampleOf!(earlier);
        samples.push({ ...(sampleOf?.(code) ?? { value: code }), other });
      }
    }
    return count === 0 ? [] : [{ kind: 'twins', field: 'code', count, samples }];
  }
}
