import { headerOf } from './recognise.ts';
import { runNamedIn } from './run-named-in.ts';

/**
 * The run whose rejected rows a file contains, if that run's source was Windows-1252: proc wrote the
 * file in the same encoding, so it need not ask again. Undefined for any other file.
 */
export function windows1252Run(file: string, folder: string): string | undefined {
  if (file === '-') return undefined;
  const run = runNamedIn(file);
  if (run === undefined) return undefined;
  const header = headerOf(folder, run);
  return header?.source.format.encoding === 'windows-1252' ? run : undefined;
}
