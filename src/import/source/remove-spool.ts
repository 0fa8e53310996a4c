import { rmSync } from 'node:fs';
import type { Source } from './record.ts';

/** The user's own files stay. */
export function removeSpool(
  { path, original = path }: Pick<Source, 'path' | 'original'>,
  folder: string,
): void {
  for (const file of [path, original]) {
    if (file.startsWith(folder)) rmSync(file, { force: true });
  }
}
