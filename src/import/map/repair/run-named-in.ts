import { closeSync, openSync, readSync } from 'node:fs';

/** The marks of rejected rows stand in the header, the first run's name soon after it. */
const HEAD_BYTES = 256 * 1024;

/** The run whose rejected rows a file holds, as its beginning tells; undefined for any other file. */
export function runNamedIn(file: string): string | undefined {
  const head = Buffer.alloc(HEAD_BYTES);
  const handle = openSync(file, 'r');
  try {
    // Marks and runs are ASCII: in UTF-16, they are that with a NUL beside each character.
    const text = head
      .toString('latin1', 0, readSync(handle, head, 0, HEAD_BYTES, 0))
      .replaceAll('\0', '');
    if (!/\b_run\b/i.test(text)) return undefined;
    return /\b\d{8}-\d{6}-[0-9a-f]{4}\b/.exec(text)?.[0];
  } finally {
    closeSync(handle);
  }
}
