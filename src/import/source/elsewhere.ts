import { type ByteSource, firstBytes } from './bytes/byte-source.ts';
import { CsvCutter } from './csv/csv-cutter.ts';
import { findShape } from './csv/csv-shape.ts';
import { markBytesOf, openBytes } from './encoding/detect-encoding.ts';
import type { HeaderPlace } from './header-place.ts';
import { nestedArrays, showPath } from './json/json-document.ts';
import { type Fits, likelyHeader, TOP_ROWS, type TopRow } from './likely-header.ts';
import type { SourceFormat, SourceLayout, SourceRecord } from './record.ts';
import { bookRows, cellTexts, type OpenBook, withBook } from './xlsx/open-book.ts';

const HEAD_BYTES = 64 << 10;
const MOST_SHEETS = 20;

type File = { readonly path: string; readonly name: string };

/** Finds another likely header of a CSV file, or another path of records in JSON. */
export async function elsewhereInText(
  { path, name }: File,
  format: SourceFormat,
  layout: SourceLayout,
  head: readonly SourceRecord[],
  fits: Fits,
): Promise<SourceLayout | undefined> {
  // NDJSON with several lines has no other place for records. A single line may be a JSON document.
  if (format.kind === 'ndjson' && head.length > 1) return undefined;
  const bytes = await openBytes(path, { ...format, markBytes: markBytesOf(format) });
  try {
    if (format.kind === 'csv') {
      const found = likelyHeader(await csvTop(bytes), layout, fits);
      return found === undefined || found.isRead ? undefined : { headerRow: found.row };
    }
    const own = showPath(format.path ?? []);
    const paths = (await nestedArrays(bytes, name)).map(showPath);
    const other = paths.find((one) => one !== own);
    return other === undefined ? undefined : { path: other };
  } finally {
    await bytes.close();
  }
}

/**
 * Finds a more likely header in another sheet or row. Returns only what differs: sheet, row or both.
 */
export async function elsewhereInBook(
  { path, name }: File,
  sheet: string,
  place: HeaderPlace,
  folder: string,
  fits: Fits,
): Promise<SourceLayout | undefined> {
  const tops = await sheetTops(path, name, folder);
  const found = [...tops]
    .flatMap(([title, rows]) => {
      const likely = likelyHeader(rows, title === sheet ? place : {}, fits);
      return likely === undefined ? [] : [{ ...likely, title }];
    })
    // At equal scores, the sheet that was read comes first.
    .sort((a, b) => b.score - a.score || Number(b.title === sheet) - Number(a.title === sheet));
  const [best] = found;
  if (best === undefined || (best.title === sheet && best.isRead)) return undefined;
  return {
    ...(best.title === sheet ? {} : { sheet: best.title }),
    ...(best.isRead ? {} : { headerRow: best.row }),
  };
}

/**
 * Detects the delimiter of each line by itself, because titles above the table may contain other
 * delimiters.
 */
async function csvTop(source: ByteSource): Promise<readonly TopRow[]> {
  const bytes = await firstBytes(source, HEAD_BYTES);
  const text = bytes.toString('utf8');
  const isWhole = bytes.length < HEAD_BYTES;
  const lines = new CsvCutter(text, { delimiter: ',' });
  const rows: TopRow[] = [];
  for (let at = 0, row = 1; at < text.length && row <= TOP_ROWS; at = lines.lineAfter(at), row++) {
    const { delimiter } = findShape(text, isWhole, row);
    const cut = new CsvCutter(text.slice(at), { delimiter }).cut(0);
    if (cut !== undefined && cut.problem === undefined) rows.push({ row, cells: cut.cells });
  }
  return rows;
}

/** @throws ProcError `invalid_input` */
function sheetTops(
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
