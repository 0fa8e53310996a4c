import { headerOf } from './recognise.ts';
import { runNamedIn } from './run-named-in.ts';

/**
 * If a file contains rejected rows of a run whose source was Windows-1252, that run. proc wrote the
 * file in the same encoding, so it need not ask again.
 */
export function windows1252Run(file: string, folder: string): string | undefined {
  if (file === '-') return undefined;
  const run = runNamedIn(file);
  if (run === undefined) return undefined;
  const header = headerOf(folder, run);
  return header?.source.format.encoding === 'windows-1252' ? run : undefined;
}
