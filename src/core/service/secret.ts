import { asItIs, type Hide, hidingOf } from './hiding.ts';

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

export function hiding(credential: { readonly secret: Secret } | undefined): Hide {
  return credential?.secret.hide ?? asItIs;
}
