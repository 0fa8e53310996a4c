import { ProcError } from '../../core/errors.ts';
import { typedAgain } from '../../core/text/typed.ts';
import { type Finding, type FindingSample, findingText } from '../../messages/findings.ts';
import type { Choices } from '../ledger/header.ts';
import type { Journal } from '../ledger/journal.ts';
import { rowsIn } from '../report/words.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import { foldSpelling, SpellingIndex } from './spelling-index.ts';

const NAMED = 3;

interface Twins {
  readonly findings: readonly Finding[];
  /** Number of codes that differ only in spelling from an existing code. */
  readonly ofExisting: number;
}

/**
 * @param typed the command line, for the hint
 * @returns why the plan is refused: many services take such codes for the same
 */
export function lookAlikeRefusal(
  { findings, ofExisting }: Twins,
  { allow }: Choices,
  typed: readonly string[],
): ProcError | undefined {
  if (ofExisting === 0 || allow.includes('look-alikes')) return undefined;
  const said = findings.map((found) => findingText(found, 'en')).join('; ');
  const again = typedAgain(typed, ['--allow', 'look-alikes']);
  return new ProcError(
    'invalid_input',
    `${rowsIn(ofExisting, 'code looks', 'codes look')} like codes of existing records (${said}); nothing was sent`,
    {
      hint: `Correct the codes. If they are other records, run: ${again}`,
      details: { lookAlikes: ofExisting, samples: findings[0]?.samples },
    },
  );
}

/**
 * Finds pending rows whose code differs only in spelling from an existing code or an earlier row.
 */
export function twins(journal: Journal, { keyField }: Pick<ImportTarget, 'keyField'>): Twins {
  const { catalogue, planned } = journal.rows;
  const index = new SpellingIndex(catalogue.counts().coded + journal.counts().pending);
  for (const codes of catalogue.codes()) for (const code of codes) index.add(code);
  let ofExisting = 0;
  for (const codes of planned.pendingCodes()) {
    for (const code of codes) if (index.look(code) === 'other') ofExisting++;
  }
  let count = 0;
  const named: string[] = [];
  for (const codes of planned.pendingCodes()) {
    for (const code of codes) {
      if (index.add(code) !== 'other') continue;
      if (count++ < NAMED) named.push(code);
    }
  }
  if (count === 0) return { findings: [], ofExisting };
  const others = firstSpellings(journal, named);
  const samples = named.map(
    (code): FindingSample => ({
      ...inFile(code, journal),
      other: others.get(foldSpelling(code)),
    }),
  );
  return { findings: [{ kind: 'twins', field: keyField, count, samples }], ofExisting };
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
  for (const codes of journal.rows.catalogue.codes())
    for (const code of codes) look(code, existing);
  for (const codes of journal.rows.planned.pendingCodes()) {
    if (found.size === wanted.size) break;
    for (const code of codes) look(code, (value) => inFile(value, journal));
  }
  return found;
}

function inFile(value: string, { rows: { planned } }: Journal): FindingSample {
  const [row] = planned.pendingWith(value) as [number];
  return { value, row, line: planned.lineOf(row) };
}

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
