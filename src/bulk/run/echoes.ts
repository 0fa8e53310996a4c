export interface EchoFields {
  readonly id: string;
  readonly key: string;
}

/**
 * Whether the answer to a create is that of its row. A service, or a proxy before it, that answers one
 * request twice has its second answer taken for that of the next request on the connection.
 */
export class Echoes {
  readonly #fields: EchoFields;
  readonly #onAltered: () => void;
  /** Codes of the rows that were answered last, and of the rows that got an id. */
  readonly #codes = new Recent<true>();
  readonly #ids = new Recent<string | null>();

  /** @param onAltered told where the service answers with a code that no row has. */
  constructor(fields: EchoFields, onAltered: () => void) {
    this.#fields = fields;
    this.#onAltered = onAltered;
  }

  /** Why the answer cannot be that of the row with this code; undefined where it may be. */
  doubt(code: string | null, value: unknown): string | undefined {
    const answer = value as Readonly<Record<string, unknown>>;
    const id = String(answer[this.#fields.id]);
    const echo = answer[this.#fields.key];
    const isItsOwn = code !== null && echo === code;
    const why = isItsOwn ? undefined : (this.#otherCode(code, echo) ?? this.#takenId(code, id));
    if (code !== null) this.#codes.keep(code, true);
    if (why === undefined) this.#ids.keep(id, code);
    return why;
  }

  #otherCode(code: string | null, echo: unknown): string | undefined {
    if (code === null || typeof echo !== 'string') return undefined;
    if (this.#codes.get(echo) === true)
      return `the service gave the answer of another row, ${echo}`;
    this.#onAltered();
    return undefined;
  }

  #takenId(code: string | null, id: string): string | undefined {
    const holder = this.#ids.get(id);
    // One code twice may be one thing for the service; and where all have one id, it says nothing.
    if (holder === undefined || (holder !== null && holder === code)) return undefined;
    if (!this.#ids.hasSeveral) return undefined;
    return `the service gave the id of another row, ${id}${holder === null ? '' : ` (${holder})`}`;
  }
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
