import { closeSync, openSync, readSync, writeSync } from 'node:fs';

/**
 * The number of the last commit, stored beside the journal. A journal that has lost commits (a truncated
 * log, a copy from a backup) is behind this number. It must not be used: it would send rows again.
 */
export class CommitMark {
  readonly #file: number;
  readonly #bytes = Buffer.alloc(8);
  #isOpen = true;

  constructor(path: string) {
    this.#file = openMark(path);
  }

  read(): number {
    return readSync(this.#file, this.#bytes, 0, 8, 0) === 8 ? this.#bytes.readDoubleLE() : 0;
  }

  /** Called after the commit and before anything that depends on it, so it is never ahead of the journal. */
  write(count: number): void {
    this.#bytes.writeDoubleLE(count);
    writeSync(this.#file, this.#bytes, 0, 8, 0);
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#file);
    this.#isOpen = false;
  }
}

function openMark(path: string): number {
  try {
    return openSync(path, 'r+');
  } catch {
    return openSync(path, 'wx+', 0o600);
  }
}
