import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf, ProcError } from '../../core/errors.ts';

const PIECE = 64 * 1024;

/** Writes a file piece by piece; it appears whole or not at all. */
export function writeWhole(
  path: string,
  flag: string,
  pieces: Iterable<string>,
  encode: (text: string) => Buffer = (text) => Buffer.from(text),
): void {
  const temporary = join(dirname(path), `.${basename(path)}.${suffix()}.tmp`);
  let file: number | undefined;
  try {
    file = openSync(temporary, 'wx', 0o600);
    let waiting = '';
    for (const piece of pieces) {
      waiting += piece;
      if (waiting.length < PIECE) continue;
      writeFully(file, encode(waiting));
      waiting = '';
    }
    writeFully(file, encode(waiting));
    fsyncSync(file);
    closeSync(file);
    file = undefined;
    renameSync(temporary, path);
  } catch (thrown) {
    if (file !== undefined) closeSync(file);
    rmSync(temporary, { force: true });
    throw new ProcError(
      'unwritable_output',
      `${flag} ${path} cannot be written: ${messageOf(thrown)}`,
      { hint: 'Name a file in a folder that you may write to', cause: thrown },
    );
  }
}

/** A write may take a part only. */
function writeFully(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

/** Makes the name of the temporary file hard to meet; O_EXCL makes meeting it harmless. */
function suffix(): string {
  return Math.random().toString(36).slice(2, 10);
}
