import { closeSync, openSync, readSync, writeSync } from 'node:fs';

/** The number of commits, stored twice. */
const HEADER_BYTES = 16;
const ROW_BYTES = 4;
const LAST_32_BITS = 2 ** 32;
/**
 * At most this many rows are marked with one write. With a write for each row, an import takes 2 %
 * longer.
 */
export const MOST_MARKS = 8;

/**
 * A small file beside the journal. It survives a kill, but perhaps not a power failure, because it
 * is never synced. It contains:
 *
 * - The number of the last commit. A journal with fewer commits has lost some: perhaps it is a copy
 *   from a backup. proc refuses such a journal: a resume could send rows again.
 * - For each row, the time of the intent with which its request was last handed over. After a kill,
 *   a row with a later intent was not handed over, so its request cannot have left.
 *
 * The number of commits is stored twice. If this file was lost and recreated, the second copy is missing
 * until all rows that were being sent are reconciled: until then, requests may have left without a mark.
 */
export class CommitMark {
  readonly #file: number;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  readonly #marks = Buffer.alloc(MOST_MARKS * ROW_BYTES);
  #isOpen = true;
  #hasRows: boolean;

  constructor(path: string) {
    this.#file = openMark(path);
    const isWhole = readSync(this.#file, this.#header, 0, HEADER_BYTES, 0) === HEADER_BYTES;
    this.#hasRows = isWhole && this.#header.readDoubleLE() === this.#header.readDoubleLE(8);
  }

  read(): number {
    return readSync(this.#file, this.#header, 0, 8, 0) === 8 ? this.#header.readDoubleLE() : 0;
  }

  /**
   * Must be called after the commit: a mark ahead of the journal means that the journal lost
   * commits.
   */
  write(count: number): void {
    this.#header.writeDoubleLE(count);
    this.#header.writeDoubleLE(count, 8);
    writeSync(this.#file, this.#header, 0, this.#hasRows ? HEADER_BYTES : 8, 0);
  }

  /**
   * False if marks were lost with the file. Then any request may have left.
   */
  get hasRows(): boolean {
    return this.#hasRows;
  }

  /** Must be called while no row is being sent. From now on every request is marked. */
  beginRows(): void {
    this.#hasRows = true;
  }

  /**
   * Must be called before the requests of `count` consecutive rows leave.
   *
   * @param row the first of these rows
   * @param at when the intents of the rows were written, ms
   */
  handOver(row: number, at: number, count: number): void {
    for (let index = 0; index < count; index++) {
      this.#marks.writeUInt32LE(at % LAST_32_BITS, index * ROW_BYTES);
    }
    writeSync(this.#file, this.#marks, 0, count * ROW_BYTES, HEADER_BYTES + row * ROW_BYTES);
  }

  isHandedOver(row: number, at: number): boolean {
    this.#marks.fill(0);
    readSync(this.#file, this.#marks, 0, ROW_BYTES, HEADER_BYTES + row * ROW_BYTES);
    return this.#marks.readUInt32LE() === at % LAST_32_BITS;
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
