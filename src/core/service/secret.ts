const MASK = '***';

/** A key or a token. Printed, inspected or made JSON, it is `***`. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself: for the header, for masks and marks made of it, and for the settings. A test lists who asks. */
  reveal(): string {
    return this.#text;
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
