import { runNamedIn } from './marks.ts';
import { headerOf } from './recognise.ts';

/**
 * If a file contains rejected rows of a Windows-1252 source, returns their run: the file has the
 * same encoding.
 */
export async function windows1252Run(file: string, folder: string): Promise<string | undefined> {
  if (file === '-') return undefined;
  const run = runNamedIn(file);
  if (run === undefined) return undefined;
  const header = await headerOf(folder, run);
  return header?.source.format.encoding === 'windows-1252' ? run : undefined;
}
