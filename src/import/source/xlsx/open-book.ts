import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ProcError } from '../../../core/errors.ts';
import { type Layout, readLayout } from './layout.ts';
import { type SheetRow, sheetRows } from './sheet.ts';
import { SharedStrings } from './strings.ts';
import { WorkbookError, Zip } from './zip.ts';

const AS_CSV = 'Save the sheet as "CSV UTF-8" (File, Save As) and import that file.';

export interface OpenBook {
  readonly zip: Zip;
  readonly layout: Layout;
  readonly strings: SharedStrings | undefined;
}

export interface BookFile {
  readonly path: string;
  /** For errors. */
  readonly name: string;
  /** For temporary files. */
  readonly folder: string;
}

/** @throws ProcError `invalid_input` */
export async function withBook<T>(
  { path, name, folder }: BookFile,
  work: (book: OpenBook) => Promise<T>,
): Promise<T> {
  let zip: Zip | undefined;
  let strings: SharedStrings | undefined;
  try {
    zip = await Zip.open(path);
    const layout = await readLayout(zip);
    const { stringsPart } = layout;
    if (stringsPart !== undefined) {
      const texts = join(folder, `input-${randomUUID()}`);
      strings = await SharedStrings.read(zip, stringsPart, texts);
    }
    return await work({ zip, layout, strings });
  } catch (thrown) {
    if (!(thrown instanceof WorkbookError)) throw thrown;
    throw new ProcError('invalid_input', `cannot read ${name} as a workbook: ${thrown.message}`, {
      hint: thrown.hint ?? AS_CSV,
      cause: thrown,
    });
  } finally {
    strings?.close();
    zip?.close();
  }
}

export function bookRows(
  { zip, layout, strings }: OpenBook,
  part: string,
  unsaved?: Map<number, string>,
): AsyncIterable<readonly SheetRow[]> {
  return sheetRows(zip, part, { ...layout, strings, unsaved });
}

/** Empty cells are empty texts. */
export function cellTexts({ cells, columns }: SheetRow): string[] {
  const texts: string[] = [];
  for (const [index, cell] of cells.entries()) texts[columns[index]!] = String(cell);
  return Array.from(texts, (text) => text ?? '');
}
