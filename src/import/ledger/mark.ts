import { closeSync, openSync, readSync, writeSync } from 'node:fs';

/**
 * The number of the last commit, kept beside the journal. A journal that lost its end (a cut WAL, a
 * copy from a backup) is behind it, and would send again what was sent: so it is found out.
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

  /** After the commit that it counts, and before anything that depends on it: never ahead of the journal. */
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
