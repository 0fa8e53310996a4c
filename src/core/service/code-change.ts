import { compareDecimals, isDecimal } from '../text/decimal.ts';

/**
 * How a service changes the codes that it stores, as the responses of a run have shown it. Only codes that
 * {@link foldCode} takes for one; any other change stops the run.
 */
export interface CodeChange {
  /** A name of {@link CHANGES}, or two separated by a comma; the last one happens first. */
  readonly name: string;
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
  'with plain dashes': (code: string) => code.replace(DASHES, '-'),
  'with single spaces': (code: string) => code.replace(/\s+/g, ' '),
} as const;

type Plain = keyof typeof CHANGES;
const CASES = ['upper case', 'lower case'] as const;

const SPELLINGS: readonly Plain[] = [
  ...CASES,
  ...(['without outer spaces', 'Unicode NFC', 'Unicode NFKC', 'with plain dashes'] as const),
];

/** A service may also change the case besides, e.g. ` ab-1` → `AB-1`. */
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

/** The code under which the service stores a code. */
export function storedCode(change: CodeChange | undefined, code: string): string {
  return change === undefined ? code : ALL.get(change.name)!(code);
}

/**
 * The code as a service may spell it: in one case, trimmed, in a Unicode form, with plain dashes. A search for a
 * code looks for these too, because services take them for one.
 */
export function spellingsOf(code: string): ReadonlySet<string> {
  return new Set([code, ...SPELLINGS.map((name) => CHANGES[name](code))]);
}

/** E.g. `in upper case` or `with plain dashes`. */
export function changeText(change: CodeChange): string {
  return /^with/.test(change.name) ? change.name : `in ${change.name}`;
}

const ENOUGH = 256;

/**
 * Which change explains all codes that came back so far. Each response leaves only the changes that
 * agree with it, as a search does with collations.
 */
export class CodeChanges {
  #left: readonly string[] = [...ALL.keys()];
  #isChanged = false;
  #kept = 0;

  /** @param known as an earlier process of the run has seen it */
  constructor(known: CodeChange | undefined) {
    if (known === undefined) return;
    this.#isChanged = true;
    this.#left = [known.name];
  }

  /** Undefined if no code has come back changed, or if no single change explains all of them. */
  get change(): CodeChange | undefined {
    if (!this.#isChanged) return undefined;
    const [name] = this.#left;
    return name === undefined ? undefined : { name };
  }

  /** @returns false if the service has changed other codes, and should have changed this code too */
  noteKept(code: string): boolean {
    // Many codes that were kept say enough, and each of them costs time.
    if (!this.#isChanged && ++this.#kept > ENOUGH) return true;
    this.#left = this.#left.filter((one) => ALL.get(one)!(code) === code);
    return !this.#isChanged || this.#left.length > 0;
  }

  /** Whether the service may store `code` as `stored`. */
  mayBe(code: string, stored: string): boolean {
    return this.#left.some((one) => ALL.get(one)!(code) === stored);
  }

  /**
   * Whether the service may have stored `code` as `stored`, by the change that explains every code so
   * far.
   */
  explain(code: string, stored: string): boolean {
    const left = this.#left.filter((one) => ALL.get(one)!(code) === stored);
    if (left.length === 0) return false;
    this.#left = left;
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
