import type { Ports } from '../../core/ports.ts';
import type { FileFlags } from '../import-flags.ts';
import type { SavedMap } from '../map/saved-map.ts';
import { confirmEncoding } from '../source/confirm-encoding.ts';
import { openSource, recordFieldsOf } from '../source/open-source.ts';
import type { Source } from '../source/record.ts';
import type { ImportTarget } from '../targets/import-target.ts';

interface RequestedFile {
  readonly target: ImportTarget;
  readonly file: string;
  readonly flags: FileFlags;
  readonly saved: SavedMap | undefined;
}

/** @param folder for copies of standard input and for temporary files of workbooks */
export async function openRequested(
  { target, file, flags, saved }: RequestedFile,
  folder: string,
  ports: Ports<'io' | 'ask' | 'self'>,
): Promise<Source> {
  const layout = saved?.choices ?? {};
  const source = await openSource({
    file,
    cwd: ports.self.cwd,
    stdin: ports.io.streams.stdin,
    spoolFolder: folder,
    path: flags.path,
    encoding: flags.encoding,
    sheet: flags.sheet,
    place: flags,
    saved: layout,
    recordFields: recordFieldsOf(target),
    confirmEncoding: async (found) =>
      layout.encoding === undefined
        ? confirmEncoding(found, file, ports)
        : layout.encoding === 'windows-1252',
  });
  saySheets(source, ports);
  return source;
}

function saySheets({ otherSheets = [], format, name }: Source, { io }: Ports<'io'>): void {
  if (otherSheets.length === 0) return;
  const text = `Read the sheet ${format.workbook?.sheet} of ${name}. Not read: ${otherSheets.join(', ')} (--sheet NAME)`;
  io.say({ kind: 'notice', text });
}
