import { TOP_ROWS, type TopRow } from '../likely-header.ts';
import { bookRows, cellTexts, type OpenBook, withBook } from './open-book.ts';

const MOST_SHEETS = 20;

/** @throws ProcError `invalid_input` */
export function sheetTops(
  path: string,
  name: string,
  folder: string,
): Promise<ReadonlyMap<string, readonly TopRow[]>> {
  return withBook(path, name, folder, async (book) => {
    const tops = new Map<string, readonly TopRow[]>();
    for (const sheet of book.layout.sheets.slice(0, MOST_SHEETS)) {
      tops.set(sheet.name, await topRows(book, sheet.part));
    }
    return tops;
  });
}

async function topRows(book: OpenBook, part: string): Promise<readonly TopRow[]> {
  const top: TopRow[] = [];
  for await (const rows of bookRows(book, part)) {
    for (const row of rows) {
      if (row.number > TOP_ROWS) return top;
      top.push({ row: row.number, cells: cellTexts(row) });
    }
  }
  return top;
}
