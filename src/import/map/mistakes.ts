import { ProcError } from '../../core/errors.ts';

/** Collects mistakes, to report them all at once. */
export class Mistakes {
  readonly #found: ProcError[] = [];

  collect(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      if (!(thrown instanceof ProcError)) throw thrown;
      this.#found.push(thrown);
    }
  }

  throwAll(): void {
    const [first, ...others] = this.#found;
    if (first === undefined) return;
    if (others.length === 0) throw first;
    const hints = new Set(this.#found.map(({ hint }) => hint).filter((hint) => hint !== undefined));
    throw new ProcError('invalid_usage', this.#found.map(({ message }) => message).join('; '), {
      hint: [...hints].join(' '),
      details: { problems: this.#found.map(({ message, hint }) => ({ message, hint })) },
    });
  }
}
