import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Row } from '../core/result.ts';
import { parseResponse } from '../core/text/strict-json.ts';
import { naming } from './out-file.ts';

const BATCH = 1000;

/** Rows that are read twice: first for the names of their fields. */
interface KeptRows extends Disposable {
  add(rows: readonly Row[]): void;
  batches(): AsyncIterable<readonly Row[]>;
}

export function keepInMemory(): KeptRows {
  const kept: Array<readonly Row[]> = [];
  return {
    add: (rows) => kept.push(rows),
    async *batches() {
      yield* kept;
    },
    [Symbol.dispose]: () => undefined,
  };
}

/**
 * A temporary file beside `--out`, because the rows of a long list do not fit in memory.
 *
 * @throws ProcError `unwritable_output`, also from the functions of the result
 */
export function keepInFile(out: string): KeptRows {
  const suffix = Math.random().toString(36).slice(2, 10);
  const path = join(dirname(out), `.${basename(out)}.${suffix}.rows.tmp`);
  const file = naming(out, () => openSync(path, 'wx+', 0o600));
  // An open file needs no name, and without one nothing is left after a kill.
  const unnamed = () => rmSync(path, { force: true });
  try {
    unnamed();
  } catch {
    // Windows may keep the name until the file is closed.
  }
  /** Where each batch ends, in bytes. */
  const ends: number[] = [];
  return {
    add(rows) {
      for (let from = 0; from < rows.length; from += BATCH) {
        const bytes = Buffer.from(JSON.stringify(rows.slice(from, from + BATCH)));
        naming(out, () => {
          for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
        });
        ends.push((ends.at(-1) ?? 0) + bytes.length);
      }
    },
    async *batches() {
      let start = 0;
      for (const end of ends) {
        const bytes = Buffer.alloc(end - start);
        for (let at = 0; at < bytes.length; ) {
          at += readSync(file, bytes, at, bytes.length - at, start + at);
        }
        yield parseResponse(bytes.toString()) as readonly Row[];
        start = end;
      }
    },
    [Symbol.dispose]() {
      closeSync(file);
      unnamed();
    },
  };
}
