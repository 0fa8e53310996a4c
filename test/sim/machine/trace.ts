import { createHash } from 'node:crypto';

/** Everything that happened, in order: two runs of a seed have the same. */
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

  /** For readers only: names folders, which differ from run to run. */
  say(text: string): void {
    this.lines?.push(text);
  }

  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }
}
