import { closeSync, openSync, readSync, writeSync } from 'node:fs';

/** The number of commits, stored twice. */
const HEADER_BYTES = 16;
const ROW_BYTES = 4;
const LAST_32_BITS = 2 ** 32;
/**
 * At most this many rows are marked with one write. One write for each row would take 2 % of an
 * import.
 */
export const MOST_MARKS = 8;

/**
 * A small file beside the journal. It is written in place and never synced, so it survives the end
 * of the process but perhaps not a loss of power. It contains:
 *
 * - The number of the last commit. A journal that has lost commits (a truncated log, a copy from a
 *   backup) is behind this number. Such a journal must not be used, because proc would send rows
 *   again.
 * - For each row, the time of the last intent whose request was handed over to the HTTP client.
 *   Intents are written some time before their requests leave. If a row has a later intent when the
 *   process is killed, the request of that intent cannot have left.
 *
 * The number of commits is stored twice. Earlier versions, which do not mark rows, write only the
 * first copy. If the copies differ, the times of rows are ignored.
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
   * Must be called after the commit and before anything that depends on it, so that the mark is
   * never ahead of the journal.
   */
  write(count: number): void {
    this.#header.writeDoubleLE(count);
    this.#header.writeDoubleLE(count, 8);
    writeSync(this.#file, this.#header, 0, this.#hasRows ? HEADER_BYTES : 8, 0);
  }

  /**
   * False if requests were not marked, e.g. by an earlier version. Then any request may have left.
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
