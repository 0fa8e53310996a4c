import { closeSync, openSync, readSync } from 'node:fs';

/** Enough for the header and the first rows, which have the name of the run. */
const HEAD_BYTES = 256 * 1024;

/**
 * Searches the first bytes of a file of rejected rows for the name of its run. Undefined if there is
 * none, as in most other files.
 */
export function runNamedIn(file: string): string | undefined {
  const head = Buffer.alloc(HEAD_BYTES);
  const handle = openSync(file, 'r');
  try {
    // In UTF-16, a NUL stands beside each character of `_run` and of the name.
    const text = head
      .toString('latin1', 0, readSync(handle, head, 0, HEAD_BYTES, 0))
      .replaceAll('\0', '');
    if (!/\b_run\b/i.test(text)) return undefined;
    return /\b\d{8}-\d{6}-[0-9a-f]{4}\b/.exec(text)?.[0];
  } finally {
    closeSync(handle);
  }
}
