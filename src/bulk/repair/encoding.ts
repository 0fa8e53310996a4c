import { closeSync, openSync, readSync } from 'node:fs';
import { headerOf } from './recognise.ts';

/** The marks of rejected rows stand in the header, the first run's name soon after it. */
const HEAD_BYTES = 256 * 1024;

/**
 * The run whose rejected rows a file holds, where that run's source was Windows-1252: the file was
 * written in the same encoding, and nobody needs to be asked again.
 */
export function run1252(file: string, folder: string): string | undefined {
  if (file === '-') return undefined;
  const head = Buffer.alloc(HEAD_BYTES);
  const handle = openSync(file, 'r');
  let text: string;
  try {
    text = head.toString('latin1', 0, readSync(handle, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(handle);
  }
  if (!/\b_run\b/.test(text)) return undefined;
  const [run] = /\b\d{8}-\d{6}-[0-9a-f]{4}\b/.exec(text) ?? [];
  if (run === undefined) return undefined;
  const header = headerOf(folder, run);
  return header?.source.format.encoding === 'windows-1252' ? run : undefined;
}
