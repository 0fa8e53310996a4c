import { rmSync } from 'node:fs';
import type { Source } from './record.ts';

/** The kept copy of standard input has served once its rows are in the ledger, or none will be. */
export function removeSpool(
  { path, original = path }: Pick<Source, 'path' | 'original'>,
  folder: string,
): void {
  for (const file of [path, original]) {
    if (file.startsWith(folder)) rmSync(file, { force: true });
  }
}
