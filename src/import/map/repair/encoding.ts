import { headerOf } from './recognise.ts';
import { runNamedIn } from './run-named-in.ts';

/**
 * The run whose rejected rows a file holds, where that run's source was Windows-1252: the file was
 * written in the same encoding, and nobody needs to be asked again.
 */
export function run1252(file: string, folder: string): string | undefined {
  if (file === '-') return undefined;
  const run = runNamedIn(file);
  if (run === undefined) return undefined;
  const header = headerOf(folder, run);
  return header?.source.format.encoding === 'windows-1252' ? run : undefined;
}
