import type { Ports } from '../../core/ports.ts';
import { importPlanMessages } from '../../messages/planning.ts';
import type { FileFlags } from '../import-flags.ts';
import { type SavedMap, savedLayout } from '../map/saved-map.ts';
import { confirmEncoding } from '../source/confirm-encoding.ts';
import { openSource, recordFieldsOf } from '../source/open-source.ts';
import type { Source } from '../source/record.ts';
import type { ImportTarget } from '../targets/import-target.ts';

interface RequestedFile {
  readonly target: ImportTarget;
  readonly file: string;
  readonly flags: FileFlags;
  readonly folder: string;
  readonly saved: SavedMap | undefined;
}

/** @param folder for copies of standard input and for temporary files of workbooks */
export async function openRequested(
  { target, file, flags, folder: imports, saved }: RequestedFile,
  folder: string,
  ports: Ports<'io' | 'ask' | 'self'>,
): Promise<Source> {
  const layout = await savedLayout(file, saved, imports, ports.self.cwd);
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
    csvRaw: ports.self.flags.csvRaw,
    confirmEncoding: async (found) =>
      layout.encoding === undefined
        ? confirmEncoding(found, file, imports, ports)
        : layout.encoding === 'windows-1252',
  });
  await saySheets(source, ports);
  return source;
}

/** Names the sheets of a workbook that are read, and those that are not. */
export async function saySheets({ sheets, name }: Source, { io }: Ports<'io'>): Promise<void> {
  if (sheets === undefined || (sheets.others.length === 0 && sheets.read.length === 1)) return;
  const words = importPlanMessages[await io.lang()];
  const [first] = sheets.read;
  const read =
    sheets.read.length === 1
      ? words.sheetRead(name, first?.name ?? '')
      : words.sheetsRead(
          name,
          sheets.read.map((one) => words.sheetLines(one.name, one.from, one.to)).join(', '),
        );
  const others = sheets.others.map((one) =>
    one.isHidden ? words.sheetHidden(one.name) : one.name,
  );
  const text = others.length === 0 ? read : read + words.sheetsNotRead(others.join(', '));
  io.say({ kind: 'notice', text });
}
