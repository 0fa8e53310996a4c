import { headerOf } from './recognise.ts';
import { runNamedIn } from './run-named-in.ts';

/**
 * The run whose rejected rows a file contains, if the source of that run was Windows-1252. proc wrote the
 * file in that encoding, so it need not ask about the encoding. Undefined for any other file.
 */
export function windows1252Run(file: string, folder: string): string | undefined {
  if (file === '-') return undefined;
  const run = runNamedIn(file);
  if (run === undefined) return undefined;
  const header = headerOf(folder, run);
  return header?.source.format.encoding === 'windows-1252' ? run : undefined;
}
