import type { Ports } from '../../core/ports.ts';
import type { FileFlags } from '../import-flags.ts';
import type { SavedMap } from '../map/saved-map.ts';
import { openSource } from '../source/open-source.ts';
import type { Source } from '../source/record.ts';

interface RequestedFile {
  readonly file: string;
  readonly flags: FileFlags;
  readonly saved: SavedMap | undefined;
}

/** @param folder for copies of standard input */
export async function openRequested(
  { file, flags, saved }: RequestedFile,
  folder: string,
  { io, self }: Ports<'io' | 'self'>,
): Promise<Source> {
  const source = await openSource({
    file,
    cwd: self.cwd,
    stdin: io.streams.stdin,
    spoolFolder: folder,
    flags,
    saved: saved?.choices,
  });
  const { otherSheets = [], format, name } = source;
  if (otherSheets.length > 0) {
    const text = `Read the sheet ${format.workbook?.sheet} of ${name}. Not read: ${otherSheets.join(', ')} (--sheet NAME)`;
    io.say({ kind: 'notice', text });
  }
  return source;
}
