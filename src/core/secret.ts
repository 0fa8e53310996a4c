import { type ErrorCode, ProcError } from './errors.ts';
import { isRawNumber } from './numbers.ts';
import { nodeModule } from './system.ts';

const MASK = '***';

/** A key or a token. If it is printed, inspected or made JSON, it is `***`. */
export class Secret {
  readonly #text: string;
  #hide: Hide | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Only for code that needs the text, e.g. for a request header. A test lists every caller. */
  reveal(): string {
    return this.#text;
  }

  /** Created once, because an import masks every response. */
  get hide(): Hide {
    this.#hide ??= hidingOf(this.#text);
    return this.#hide;
  }

  /** A short hash, which identifies the secret without showing it. */
  get fingerprint(): string {
    // Loaded here, because most commands do not need it.
    const { hash } = nodeModule('node:crypto');
    return `sha256:${hash('sha256', this.#text, 'hex').slice(0, 8)}`;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return MASK;
  }
}

export type Scheme = 'api-key' | 'bearer';

/** Never log a credential, or put it into an error. */
export interface Credential {
  readonly scheme: Scheme;
  readonly secret: Secret;
}

export const SCHEME_NAME: Readonly<Record<Scheme, string>> = {
  'api-key': 'API key',
  bearer: 'token',
};

/**
 * A header can contain Latin-1 without control characters (docs/service-contract.md §5). A bearer
 * token has no spaces, and is ASCII.
 */
const CARRIED: Readonly<Record<Scheme, RegExp>> = {
  'api-key': /^[\x20-\x7e\xa0-\xff]+$/,
  bearer: /^[\x21-\x7e]+$/,
};

/**
 * Removes white space around the secret, e.g. the line break at the end of a file. The result may be
 * empty. Errors never contain the secret.
 *
 * @param where the place, for errors, e.g. `PROC_API_KEY`
 */
export function cleanSecret(
  text: string,
  scheme: Scheme,
  where: string,
  code: ErrorCode = 'invalid_setting',
): string {
  const secret = text.replace(/^\uFEFF/, '').trim();
  if (secret !== '' && !CARRIED[scheme].test(secret)) {
    const why = /[\r\n]/.test(secret)
      ? 'has more than one line'
      : 'contains a character that an HTTP header cannot contain';
    throw new ProcError(code, `${where}: the ${SCHEME_NAME[scheme]} ${why}`, {
      hint:
        scheme === 'bearer' && /^bearer /i.test(secret)
          ? 'Use the token alone, without the word "Bearer"'
          : 'Copy it again: it must be one line of plain characters',
    });
  }
  return secret;
}

export function hiding(credential: { readonly secret: Secret } | undefined): Hide {
  return credential?.secret.hide ?? asItIs;
}

/** Shorter secrets are not masked, because they would match by accident. */
const SHORTEST = 6;
/** Shorter pieces of base64 are not masked, because they would match by accident. */
const SHORTEST_BASE64 = 10;

/** Masks a secret in texts of a service, because some services repeat the key. */
export interface Hide {
  (text: string): string;
  /**
   * Masks the secret in every text, key and number of a decoded value.
   *
   * @param source the text before decoding, which saves work if it cannot contain the secret
   */
  value<T>(value: T, source?: string): T;
}

export const asItIs: Hide = Object.assign((text: string) => text, {
  value: <T>(value: T) => value,
});

/** The keys of a sandbox's two organizations. They are not secret: they open only sandboxes on loopback. */
export const PUBLISHED_KEYS: readonly string[] = ['proc-sandbox-key', 'proc-sandbox-key-2'];

/**
 * Masks the whole secret in any case: plain, escaped for a URL or for JSON, in hex, or in the base64 of a text
 * that contains it. Other spellings are not masked (docs/security.md).
 */
export function hidingOf(secret: string): Hide {
  if (secret.length < SHORTEST || PUBLISHED_KEYS.includes(secret)) return asItIs;
  const plain = secret.toLowerCase();
  const hex = Buffer.from(secret).toString('hex');
  const base64 = base64Of(secret);
  const marks = secret.includes(' ') ? ESCAPE_OR_PLUS : ESCAPE;
  // Built only if needed: the expressions are long, and slow on texts that cannot match.
  let expression: RegExp | undefined;
  const spelled = () => (expression ??= new RegExp(`${spellings(secret)}|${hex}`, 'gi'));
  const encoded = new RegExp(base64.map(escapeRegExp).join('|') || '(?!)', 'g');
  const isSpelled = (text: string) => {
    const lower = text.toLowerCase();
    if (lower.includes(plain) || lower.includes(hex)) return true;
    return marks.test(text) && text.search(spelled()) >= 0;
  };
  const isEncoded = (text: string) => base64.some((form) => text.includes(form));
  const holds = (text: string) => isSpelled(text) || isEncoded(text);
  const hide = (text: string) => {
    const left = isSpelled(text) ? text.replace(spelled(), MASK) : text;
    return isEncoded(left) ? left.replace(encoded, MASK) : left;
  };
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return hide(value);
    if (typeof value === 'number') return holds(String(value)) ? MASK : value;
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    if (isRawNumber(value)) return holds(value.rawJSON) ? MASK : value;
    if (value instanceof Uint8Array) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [hide(key), walk(one)]));
  };
  return Object.assign(hide, {
    value<T>(value: T, source?: string): T {
      // Without a backslash in the source, each decoded text occurs there unchanged.
      if (source !== undefined && !source.includes('\\') && !holds(source)) return value;
      return walk(value) as T;
    },
  });
}

/** Every escaped spelling of a secret contains one of these characters. */
const ESCAPE = /[\\%]/;
/** A URL may spell a space as `+`. */
const ESCAPE_OR_PLUS = /[\\%+]/;

function spellings(secret: string): string {
  return [...secret].map((character) => `(?:${charSpellings(character)})`).join('');
}

/** The spellings of one character: unchanged, or escaped for JSON or a URL. */
function charSpellings(character: string): string {
  const units = [...Array(character.length).keys()].map((at) =>
    character.charCodeAt(at).toString(16).padStart(4, '0'),
  );
  const bytes = [...Buffer.from(character)].map((byte) => byte.toString(16).padStart(2, '0'));
  return [
    `\\\\?${escapeRegExp(character)}`,
    units.map((unit) => `\\\\u${unit}`).join(''),
    bytes.map((byte) => `%${byte}`).join(''),
    ...(character === ' ' ? ['\\+'] : []),
  ].join('|');
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

/**
 * What the secret may look like in the base64 of a text that contains it. There are up to three forms in each
 * of the two alphabets of base64, because base64 encodes three bytes at a time. Characters at the ends of a
 * form that also encode bytes next to the secret are omitted.
 */
function base64Of(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const forms = [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64url');
    const begin = Math.ceil((shift * 8) / 6);
    const end = Math.floor(((shift + bytes.length) * 8) / 6);
    const core = text.slice(begin, end);
    return [core, core.replaceAll('-', '+').replaceAll('_', '/')];
  });
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST_BASE64);
}
