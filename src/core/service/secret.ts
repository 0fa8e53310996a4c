import { asItIs, type Hide, hidingOf } from './hiding.ts';

const MASK = '***';

/** A key or a token. Printed, inspected or made JSON, it is `***`. */
export class Secret {
  readonly #text: string;
  #hide: Hide | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * The text itself: for the header, for masks and marks, and for the settings. A test lists every caller.
   */
  reveal(): string {
    return this.#text;
  }

  /** Masks this secret in texts of a service. Created once, because an import masks every answer. */
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

/** Masks the secret of a credential. Without a credential, masks nothing. */
export function hiding(credential: { readonly secret: Secret } | undefined): Hide {
  return credential?.secret.hide ?? asItIs;
}
