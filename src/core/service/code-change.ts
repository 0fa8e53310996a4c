import { compareDecimals, isDecimal } from '../text/decimal.ts';

/** How a service changes the codes that it stores, as the responses of a run have shown it. */
export interface CodeChange {
  /** `prefix`, or names of {@link CHANGES} separated by commas; the last one happens first. */
  readonly name: string;
  /** Only for `prefix`. */
  readonly prefix?: string;
}

/** A change with the first code that showed it. */
export interface SeenChange extends CodeChange {
  readonly sent: string;
  readonly stored: string;
}

const DASHES = /\p{Pd}|[−˗⁃]/gu;

/** The plain ones first: of several changes that explain a code, the first one counts. */
const CHANGES = {
  'upper case': (code: string) => code.toUpperCase(),
  'lower case': (code: string) => code.toLowerCase(),
  'without outer spaces': (code: string) => code.trim(),
  'Unicode NFC': (code: string) => code.normalize('NFC'),
  'Unicode NFD': (code: string) => code.normalize('NFD'),
  'Unicode NFKC': (code: string) => code.normalize('NFKC'),
  'without leading zeros': (code: string) => code.replace(/^0+(?=.)/, ''),
  'as a number': (code: string) => (isNumber(code) ? String(Number(code)) : code),
  'without zeros before digits': (code: string) => code.replace(/(^|[^\d.,])0+(?=\d)/g, '$1'),
  'with plain dashes': (code: string) => code.replace(DASHES, '-'),
  'without dashes': (code: string) => code.replace(DASHES, ''),
  'without spaces': (code: string) => code.replace(/\s+/g, ''),
  'without signs': (code: string) => code.replace(/[^\p{L}\p{M}\p{N}]/gu, ''),
} as const;

type Plain = keyof typeof CHANGES;
const CASES = ['upper case', 'lower case'] as const;

const SPELLINGS: readonly Plain[] = [
  ...CASES,
  ...(['without outer spaces', 'Unicode NFC', 'Unicode NFKC', 'with plain dashes'] as const),
];

/** A service may also change the case besides, e.g. `ab-1` → `AB1`. */
const ALL: ReadonlyMap<string, (code: string) => string> = new Map([
  ...Object.entries(CHANGES),
  ...CASES.flatMap((name) =>
    Object.entries(CHANGES)
      .slice(CASES.length)
      .map(
        ([other, change]) =>
          [`${name}, ${other}`, (code: string) => CHANGES[name](change(code))] as const,
      ),
  ),
]);

function isNumber(code: string): boolean {
  return /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(code);
}

/** What a change of several parts may consist of, in the order of its name. Each part is one of a line, or none. */
const PARTS: readonly (readonly Plain[])[] = [
  CASES,
  ['without leading zeros', 'as a number', 'without zeros before digits'],
  ['with plain dashes', 'without dashes', 'without signs'],
  ['without outer spaces', 'without spaces'],
  ['Unicode NFC', 'Unicode NFD', 'Unicode NFKC'],
];

/** The function of a change, except `prefix`. */
function changerOf(name: string): (code: string) => string {
  const known = ALL.get(name);
  if (known !== undefined) return known;
  const parts = name.split(', ').map((part) => CHANGES[part as Plain]);
  return (code) => parts.reduceRight((stored, change) => change(stored), code);
}

/** Whether `name` can be the name of a {@link CodeChange}. */
export function isChangeName(name: string): boolean {
  return name === 'prefix' || name.split(', ').every((part) => Object.hasOwn(CHANGES, part));
}

/** The part of a change that is about case, zeros, dashes, spaces or the Unicode form. */
export function partOf(
  { name }: CodeChange,
  about: 'case' | 'zeros' | 'dashes' | 'spaces' | 'form',
): string | undefined {
  const index = ['case', 'zeros', 'dashes', 'spaces', 'form'].indexOf(about);
  return name.split(', ').find((part) => (PARTS[index] as readonly string[]).includes(part));
}

/**
 * The change with the fewest parts that explains all codes.
 *
 * @returns `none` if all codes were kept; undefined if no change explains them
 */
export function changeBehind(
  codes: readonly { readonly sent: string; readonly stored: string }[],
): CodeChange | 'none' | undefined {
  if (codes.every(({ sent, stored }) => sent === stored)) return 'none';
  const changes = new CodeChanges(undefined);
  const isPrefix = codes.every(({ sent, stored }) => changes.explain(sent, stored, true));
  if (isPrefix && changes.change?.name === 'prefix') return changes.change;
  const combined = PARTS.reduce<readonly (readonly Plain[])[]>(
    (all, part) => all.flatMap((before) => [before, ...part.map((one) => [...before, one])]),
    [[]],
  );
  const name = combined
    .toSorted((a, b) => a.length - b.length)
    .map((parts) => parts.join(', '))
    .find(
      (one) => one !== '' && codes.every(({ sent, stored }) => changerOf(one)(sent) === stored),
    );
  return name === undefined ? undefined : { name };
}

/** The code under which the service stores a code. */
export function storedCode(change: CodeChange | undefined, code: string): string {
  if (change === undefined) return code;
  if (change.name === 'prefix') return `${change.prefix}${code}`;
  return changerOf(change.name)(code);
}

/**
 * The code as a service may spell it: in one case, trimmed, in a Unicode form, with plain dashes. A search for a
 * code looks for these too, because services take them for one.
 */
export function spellingsOf(code: string): ReadonlySet<string> {
  return new Set([code, ...SPELLINGS.map((name) => CHANGES[name](code))]);
}

/** E.g. `in upper case` or `with the prefix ACME-`. */
export function changeText(change: CodeChange): string {
  if (change.name === 'prefix') return `with the prefix ${change.prefix}`;
  return /^(with|as|in) /.test(change.name) || change.name.startsWith('without')
    ? change.name
    : `in ${change.name}`;
}

const ENOUGH = 256;

/**
 * Which change explains all codes that came back so far. Each response leaves only the changes that
 * agree with it, as a search does with collations.
 */
export class CodeChanges {
  #left: readonly string[] = [...ALL.keys()];
  #prefix: string | undefined;
  #isChanged = false;
  #kept = 0;

  /**
   * @param known as an earlier process of the run has seen it
   * @param expected another change that may explain codes, as a rehearsal has shown it
   */
  constructor(known: CodeChange | undefined, expected?: CodeChange) {
    if (expected !== undefined && expected.name !== 'prefix' && !ALL.has(expected.name)) {
      this.#left = [...this.#left, expected.name];
    }
    if (known === undefined) return;
    this.#isChanged = true;
    this.#prefix = known.prefix;
    this.#left = known.name === 'prefix' ? [] : [known.name];
  }

  /** Undefined if no code has come back changed, or if no single change explains all of them. */
  get change(): CodeChange | undefined {
    if (!this.#isChanged) return undefined;
    if (this.#prefix !== undefined) return { name: 'prefix', prefix: this.#prefix };
    const [name] = this.#left;
    return name === undefined ? undefined : { name };
  }

  /** Whether a code has come back that proc can explain. */
  get hasAny(): boolean {
    return this.#isChanged || this.#kept > 0;
  }

  /** @returns false if the service has changed other codes, and should have changed this code too */
  noteKept(code: string): boolean {
    // Many codes that were kept say enough, and each of them costs time.
    if (!this.#isChanged && ++this.#kept > ENOUGH) return true;
    this.#prefix = undefined;
    this.#left = this.#left.filter((one) => changerOf(one)(code) === code);
    return !this.#isChanged || this.#left.length > 0;
  }

  /** Whether the service may store `code` as `stored`. */
  mayBe(code: string, stored: string): boolean {
    if (this.#prefix !== undefined) return stored === this.#prefix + code;
    return this.#left.some((one) => changerOf(one)(code) === stored);
  }

  /**
   * Whether the service may have stored `code` as `stored`, by the change that explains every code so
   * far.
   *
   * @param isCertain the response provably belongs to the row. Only then it may show a new prefix
   */
  explain(code: string, stored: string, isCertain: boolean): boolean {
    if (this.#prefix !== undefined) return stored === this.#prefix + code;
    const left = this.#left.filter((one) => changerOf(one)(code) === stored);
    if (left.length > 0) {
      this.#left = left;
      this.#isChanged = true;
      return true;
    }
    if (this.#isChanged || !isCertain || !isPrefixed(code, stored)) return false;
    this.#prefix = stored.slice(0, -code.length);
    this.#left = [];
    this.#isChanged = true;
    return true;
  }
}

/** A prefix ends visibly: `ORG-`, or letters before digits. `15` is no `5` with a prefix. */
function isPrefixed(code: string, stored: string): boolean {
  if (code === '' || stored.length <= code.length || !stored.endsWith(code)) return false;
  const prefix = stored.slice(0, -code.length);
  return /[\s\p{P}\p{S}]$/u.test(prefix) || (/\p{L}$/u.test(prefix) && /^\d/.test(code));
}

/** Whether `stored` is recognisably `sent`, changed in one or several of the ways that services change codes. */
export function isChangedCode(sent: string, stored: string): boolean {
  if (sent === stored || sent === '' || stored === '') return false;
  if (alikeText(sent) === alikeText(stored) || isPrefixed(sent, stored)) return true;
  return isDecimal(sent) && isDecimal(stored) && compareDecimals(sent, stored) === 0;
}

/** Letters and digits only, without case. */
export function bareText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Returns the same text for texts that a service may confuse, e.g. `AR-007` and `ar7`. */
export function alikeText(text: string): string {
  const bare = bareText(text).replace(/(^|\D)0+(?=\d)/g, '$1');
  return bare === '' ? text.trim() : bare;
}
