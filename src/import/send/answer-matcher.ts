import { GAVE } from '../reconcile/looked-up.ts';

export interface AnswerFields {
  readonly id: string;
  readonly key: string;
}

/** Whose answer the success of a create is. */
export type Origin =
  /** It carries the row's own code, or one that is like it. */
  | { readonly kind: 'own' }
  /** It names no code. */
  | { readonly kind: 'unsaid' }
  /** Another row's, by its code or id. `isOwnPerhaps`: services that change codes may mean this row. */
  | {
      readonly kind: 'other';
      readonly why: string;
      readonly code: string | undefined;
      readonly isOwnPerhaps: boolean;
    }
  /** Its code is that of no row, and not like the row's. */
  | { readonly kind: 'strange'; readonly why: string };

export interface MatcherPorts {
  /** Whether any row has this code, sent or not. */
  hasRow(code: string): boolean;
  /** Told once it is learned that this service changes codes: then no look-up by code tells anything. */
  onAltered(): void;
}

const UNSAID: Origin = { kind: 'unsaid' };

/** So many codes that came back changed, or this share of them, are no accident. */
const MANY = 3;
const SHARE = 4;

/**
 * Recognises whose answer a success is. A service, or a proxy before it, that gets out of step gives
 * one row the answer of another.
 */
export class AnswerMatcher {
  readonly #fields: AnswerFields;
  readonly #ports: MatcherPorts;
  readonly #ids = new Recent<string | null>();
  #kept = 0;
  #altered = 0;
  #strange = 0;

  constructor(fields: AnswerFields, ports: MatcherPorts) {
    this.#fields = fields;
    this.#ports = ports;
  }

  /** Most answers carry codes that no row has: the service gives codes of its own. */
  get areStrange(): boolean {
    return this.#strange * SHARE >= this.#strange + this.#altered + this.#kept;
  }

  /** Whose answer this is that came for the row with this code. */
  originOf(code: string | null, value: unknown): Origin {
    const answer = value as Readonly<Record<string, unknown>>;
    const id = String(answer[this.#fields.id]);
    const echo = answer[this.#fields.key];
    const origin = this.#byCode(code, echo);
    // A code that is the row's own, letter by letter, needs no other proof.
    const isProved = origin !== undefined && (origin.kind !== 'own' || echo === code);
    const taken = isProved ? undefined : this.#takenId(code, id);
    const result = taken ?? origin ?? UNSAID;
    if (result.kind === 'own' || result.kind === 'unsaid') this.#ids.keep(id, code);
    return result;
  }

  /** Undefined where the code says nothing. */
  #byCode(code: string | null, echo: unknown): Origin | undefined {
    if (code === null || typeof echo !== 'string') return undefined;
    if (echo === code) {
      this.#kept++;
      return { kind: 'own' };
    }
    if (this.#ports.hasRow(echo)) {
      const why = `${GAVE} the answer of another row, ${echo}`;
      return { kind: 'other', why, code: echo, isOwnPerhaps: bare(code) === bare(echo) };
    }
    if (isLike(code, echo)) {
      this.#altered++;
      // One code may be a mistake of somebody's; a service that changes codes changes many.
      const all = this.#altered + this.#kept;
      if (this.#altered >= MANY || this.#altered * SHARE >= all) this.#ports.onAltered();
      return { kind: 'own' };
    }
    this.#strange++;
    if (this.areStrange) {
      this.#ports.onAltered();
      return undefined;
    }
    return { kind: 'strange', why: `${GAVE} an answer with the code ${echo}` };
  }

  #takenId(code: string | null, id: string): Origin | undefined {
    const holder = this.#ids.get(id);
    // One code twice may be one thing for the service; and where all have one id, it says nothing.
    if (holder === undefined || (holder !== null && holder === code)) return undefined;
    if (!this.#ids.hasSeveral) return undefined;
    const why = `${GAVE} the id of another row, ${id}${holder === null ? '' : ` (${holder})`}`;
    return { kind: 'other', why, code: undefined, isOwnPerhaps: false };
  }
}

/** Services change case, spaces and leading zeros, cut codes off or put something before them. */
function isLike(code: string, echo: string): boolean {
  const [one, other] = [bare(code), bare(echo)];
  return one !== '' && other !== '' && (one.includes(other) || other.includes(one));
}

function bare(code: string): string {
  return code
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** So many of the last rows are known, and up to twice as many: an answer that comes twice comes soon. */
const KEPT = 512;

/** What was kept last. Two halves, of which the older one goes as a whole: deleting one by one takes longer. */
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
