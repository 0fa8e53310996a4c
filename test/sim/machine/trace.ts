import { createHash } from 'node:crypto';

/** Everything that happened, in order. Two runs with the same seed have the same trace. */
export class Trace {
  readonly #hash = createHash('sha256');
  readonly lines: string[] | undefined;

  constructor(isKept: boolean) {
    this.lines = isKept ? [] : undefined;
  }

  add(time: number, what: string): void {
    const line = `${time.toFixed(3)} ${what}`;
    this.#hash.update(line);
    this.lines?.push(line);
  }

  /** Adds text that contains folders. It is not in the digest, because folders differ between runs. */
  say(text: string): void {
    this.lines?.push(text);
  }

  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }
}
