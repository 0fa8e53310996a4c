import { closeSync, openSync, readSync } from 'node:fs';

/** The columns that proc added are in the header, and the run's name is soon after it. */
const HEAD_BYTES = 256 * 1024;

/**
 * The run whose rejected rows a file contains, from the beginning of the file; undefined for any
 * other file.
 */
export function runNamedIn(file: string): string | undefined {
  const head = Buffer.alloc(HEAD_BYTES);
  const handle = openSync(file, 'r');
  try {
    // The columns and run names are ASCII: in UTF-16, that is ASCII with a NUL beside each
    // character.
    const text = head
      .toString('latin1', 0, readSync(handle, head, 0, HEAD_BYTES, 0))
      .replaceAll('\0', '');
    if (!/\b_run\b/i.test(text)) return undefined;
    return /\b\d{8}-\d{6}-[0-9a-f]{4}\b/.exec(text)?.[0];
  } finally {
    closeSync(handle);
  }
}
