import { bareText } from '../reconcile/key-form.ts';
import { RETURNED } from '../reconcile/looked-up.ts';

export interface MatchedFields {
  readonly id: string;
  readonly key: string;
}

export type Origin =
  /** This row: the response has its code, or a similar code. */
  | { readonly kind: 'own' }
  /** Unknown: the row or the response has no code, or the service assigns codes of its own. */
  | { readonly kind: 'unsaid' }
  /**
   * Another row has the code or id of the response.
   *
   * `isOwnPerhaps`: e.g. this row has the code `A-1` and the other row `a1`. If the service changes
   * codes, the response may still belong to this row.
   */
  | {
      readonly kind: 'other';
      readonly why: string;
      readonly code: string | undefined;
      readonly isOwnPerhaps: boolean;
    }
  /** No row has this code, and the code of this row is not similar. */
  | { readonly kind: 'strange'; readonly why: string };

export interface MatcherPorts {
  /** Whether any row has this code, sent or not. */
  hasRow(code: string): boolean;
  /**
   * Called when the service changes codes or assigns its own. Then a look-up by code proves
   * nothing.
   */
  onAltered(): void;
}

const UNSAID: Origin = { kind: 'unsaid' };

/**
 * The service changes codes if `MANY` responses, or one response in `SHARE`, have a changed code.
 */
const MANY = 3;
const SHARE = 4;

/**
 * Finds out which row a successful response belongs to. A broken proxy may give a row the response
 * to another row.
 */
export class ResponseMatcher {
  readonly #fields: MatchedFields;
  readonly #ports: MatcherPorts;
  readonly #ids = new Recent<string | null>();
  #kept = 0;
  #altered = 0;
  #strange = 0;

  constructor(fields: MatchedFields, ports: MatcherPorts) {
    this.#fields = fields;
    this.#ports = ports;
  }

  /** Many responses have codes that no row has: the service assigns its own codes. */
  get areStrange(): boolean {
    return this.#strange * SHARE >= this.#strange + this.#altered + this.#kept;
  }

  /** @param code of the row whose request got the response */
  originOf(code: string | null, value: unknown): Origin {
    const response = value as Readonly<Record<string, unknown>>;
    const id = String(response[this.#fields.id]);
    const stored = response[this.#fields.key];
    // Some services store codes as numbers.
    const echo = typeof stored === 'number' ? String(stored) : stored;
    const origin = this.#byCode(code, echo);
    // Checks the id only if the code proves nothing or is merely similar.
    const isProved = origin !== undefined && (origin.kind !== 'own' || echo === code);
    const taken = isProved ? undefined : this.#takenId(code, id);
    const result = taken ?? origin ?? UNSAID;
    if (result.kind === 'own' || result.kind === 'unsaid') this.#ids.keep(id, code);
    return result;
  }

  /** Undefined if the code proves nothing. */
  #byCode(code: string | null, echo: unknown): Origin | undefined {
    if (code === null || typeof echo !== 'string') return undefined;
    if (echo === code) {
      this.#kept++;
      return { kind: 'own' };
    }
    if (this.#ports.hasRow(echo)) {
      const why = `${RETURNED} the response to another row, ${echo}`;
      return { kind: 'other', why, code: echo, isOwnPerhaps: bareText(code) === bareText(echo) };
    }
    if (isLike(code, echo)) {
      this.#altered++;
      const all = this.#altered + this.#kept;
      if (this.#altered >= MANY || this.#altered * SHARE >= all) this.#ports.onAltered();
      return { kind: 'own' };
    }
    this.#strange++;
    if (this.areStrange) {
      this.#ports.onAltered();
      return undefined;
    }
    return { kind: 'strange', why: `${RETURNED} the code ${echo}` };
  }

  #takenId(code: string | null, id: string): Origin | undefined {
    const holder = this.#ids.get(id);
    // Two rows with the same code may be one record. An id that all responses share proves nothing.
    if (holder === undefined || (holder !== null && holder === code)) return undefined;
    if (!this.#ids.hasSeveral) return undefined;
    const why = `${RETURNED} the id of another row, ${id}${holder === null ? '' : ` (${holder})`}`;
    return { kind: 'other', why, code: undefined, isOwnPerhaps: false };
  }
}

/** A service may change case, spaces or leading zeros, shorten codes or add a prefix. */
function isLike(code: string, echo: string): boolean {
  const [one, other] = [bareText(code), bareText(echo)];
  return one !== '' && other !== '' && (one.includes(other) || other.includes(one));
}

/**
 * Keeps the ids of the last 512 to 1,024 responses: a service that repeats a response repeats it
 * soon.
 */
const KEPT = 512;

/** Dropping the older half at once is faster than dropping single entries. */
class Recent<T> {
  #young = new Map<string, T>();
  #old = new Map<string, T>();

  get(key: string): T | undefined {
    return this.#young.has(key) ? this.#young.get(key) : this.#old.get(key);
  }

  get hasSeveral(): boolean {
    return this.#young.size + this.#old.size > 1;
  }

  keep(key: string, value: T): void {
    this.#young.set(key, value);
    if (this.#young.size < KEPT) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}
