import { csvTop } from './csv/csv-top.ts';
import { markBytesOf, openBytes } from './encoding/detect-encoding.ts';
import type { HeaderPlace } from './header-place.ts';
import { showPath } from './json/json-path.ts';
import { nestedArrays } from './json/nested-arrays.ts';
import { type Fits, likelyHeader } from './likely-header.ts';
import type { SourceFormat, SourceLayout, SourceRecord } from './record.ts';
import { sheetTops } from './xlsx/sheet-tops.ts';

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
