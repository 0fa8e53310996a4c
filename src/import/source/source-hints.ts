import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { typedAgain, typedWith } from '../../core/text/typed.ts';
import type { ImportFlags } from '../import-flags.ts';
import { parseTemplate } from '../map/mapping.ts';
import { matchColumns } from '../map/match.ts';
import type { TargetFields } from '../targets/import-target.ts';
import { type ByteSource, firstBytes } from './bytes/byte-source.ts';
import { CsvCutter } from './csv/csv-cutter.ts';
import { findShape } from './csv/csv-shape.ts';
import { openBytes } from './encoding/detect-encoding.ts';
import { firstRow, type HeaderPlace, namedColumns } from './header-place.ts';
import { nestedArrays, showPath } from './json/json-document.ts';
import type { Elsewhere, Fits, Place, Source, SourceLayout } from './record.ts';
import { type BookFile, bookRows, cellTexts, type OpenBook, withBook } from './xlsx/open-book.ts';

/** Adds a hint to an `invalid_usage` error, if the records seem to be elsewhere in the file. */
export async function withPlaceHint(
  thrown: unknown,
  sought: Sought,
  ports: Ports<'self'>,
): Promise<unknown> {
  if (!(thrown instanceof ProcError) || thrown.code !== 'invalid_usage') return thrown;
  const found = await elsewhereIn(sought);
  if (found === undefined) return thrown;
  const command = typedAgain(wordsAt(found.best, ports.self.typed), []);
  return new ProcError(thrown.code, thrown.message, {
    hint: `${textOf(found.best)}. Try: ${command}`,
    details: { ...(thrown.details as object | undefined), command },
    cause: thrown,
  });
}

/** The typed words, with the flags of the place. */
export function wordsAt(
  { headerRow, sheet, path }: SourceLayout,
  typed: readonly string[],
): readonly string[] {
  const words = [
    ...(path === undefined ? [] : ['--path', path]),
    ...(sheet === undefined ? [] : ['--sheet', sheet]),
    ...(headerRow === undefined ? [] : ['--header-row', String(headerRow)]),
  ];
  return typedWith(typed, words, ['--path', '--sheet', '--header-row', '--skip-rows']);
}

/** A file, and what its columns should fit. */
interface Sought {
  readonly source: Source;
  readonly target: { readonly fields: TargetFields };
  readonly flags: Pick<ImportFlags, 'map'>;
}

export async function elsewhereIn({
  source,
  target,
  flags,
}: Sought): Promise<Elsewhere | undefined> {
  return source.elsewhere?.(fitsOf(target.fields, flags));
}

function textOf({ headerRow, sheet, path }: SourceLayout): string {
  const named = JSON.stringify(sheet);

  if (path !== undefined) return `The records seem to be at ${path}`;
  return headerRow === undefined
    ? `The records seem to be in sheet ${named}`
    : `Row ${headerRow}${sheet === undefined ? '' : ` of sheet ${named}`} looks like the header`;
}

/** Scores a header: 1 for each column that matches a field, 2 for each column that `--map` names. */
function fitsOf(fields: TargetFields, { map }: Pick<ImportFlags, 'map'>): Fits {
  const typed = map.flatMap((text) => {
    const value = text.slice(text.indexOf('=') + 1).trim();
    return parseTemplate(value)?.parts.map(({ column }) => column) ?? [value];
  });
  return (cells) => {
    const trimmed = cells.map((cell) => cell.trim());
    const named = typed.filter((name) => trimmed.includes(name)).length;
    const { names, repeated } = namedColumns(cells);
    const table = { width: names.length, repeated };
    return 2 * named + matchColumns({ columns: names, table }, fields).matched.size;
  };
}

const HEAD_BYTES = 64 << 10;
const MOST_SHEETS = 20;

/** Finds another likely header of a CSV file, or another path of records in JSON. */
export async function elsewhereInText(
  { path, name }: Pick<Source, 'path' | 'name'>,
  { format, layout = {}, head }: Pick<Source, 'format' | 'layout' | 'head'>,
  fits: Fits,
): Promise<Elsewhere | undefined> {
  // NDJSON with several lines has no other place for records. A single line may be a JSON document.
  if (format.kind === 'ndjson' && head.length > 1) return undefined;
  const bytes = await openBytes(path, format);
  try {
    if (format.kind === 'csv') {
      const top = await csvTop(bytes);
      const found = likelyHeader(top, layout, fits);
      if (found === undefined || found.isRead) return undefined;
      return { best: { headerRow: found.row }, places: placesIn(top) };
    }
    const own = showPath(format.path ?? []);
    const paths = (await nestedArrays(bytes, name)).map(showPath);
    const others = paths.filter((one) => one !== own);
    const [path] = others;
    if (path === undefined) return undefined;
    return { best: { path }, places: others.map((one) => ({ layout: { path: one }, cells: [] })) };
  } finally {
    await bytes.close();
  }
}

/**
 * Finds a more likely header in another sheet or row. Returns only what differs: sheet, row or both.
 */
export async function elsewhereInBook(
  file: BookFile,
  { sheet, place }: { readonly sheet: string; readonly place: HeaderPlace },
  fits: Fits,
): Promise<Elsewhere | undefined> {
  const tops = await sheetTops(file);
  const found = [...tops]
    .flatMap(([title, rows]) => {
      const likely = likelyHeader(rows, title === sheet ? place : {}, fits);
      return likely === undefined ? [] : [{ ...likely, title }];
    })
    // At equal scores, the sheet that was read comes first.
    .sort((a, b) => b.score - a.score || Number(b.title === sheet) - Number(a.title === sheet));
  const [best] = found;
  if (best === undefined || (best.title === sheet && best.isRead)) return undefined;
  const layoutOf = ({ title, isRead, row }: (typeof found)[number]): SourceLayout => ({
    ...(title === sheet ? {} : { sheet: title }),
    ...(isRead ? {} : { headerRow: row }),
  });
  const top = tops.get(sheet) ?? [];
  const isOther = best.title !== sheet;
  return {
    best: layoutOf(best),
    places: isOther
      ? found.map((one) => ({
          layout: { sheet: one.title, ...layoutOf(one) },
          cells: tops.get(one.title)?.find(({ row }) => row === one.row)?.cells ?? [],
        }))
      : placesIn(top),
  };
}

const MOST_PLACES = 12;

function placesIn(top: readonly TopRow[]): readonly Place[] {
  return top
    .filter(({ cells }) => widthOf(cells) > 0)
    .slice(0, MOST_PLACES)
    .map(({ row, cells }) => ({ layout: { headerRow: row }, cells }));
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
function sheetTops(file: BookFile): Promise<ReadonlyMap<string, readonly TopRow[]>> {
  return withBook(file, async (book) => {
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

interface TopRow {
  readonly row: number;
  readonly cells: readonly string[];
}

const TOP_ROWS = 50;

/** The score of a row that is as wide as most rows, but whose cells do not fit. */
const SHAPED = 0.5;

interface LikelyHeader {
  readonly row: number;
  readonly score: number;
  /** This is the row that proc reads as the header. */
  readonly isRead: boolean;
}

/**
 * Chooses the row that fits best; if none fits, the first row that is as wide as most rows. Between
 * equal rows, the row that proc reads as the header wins.
 *
 * @param place where proc reads the header
 */
function likelyHeader(
  rows: readonly TopRow[],
  place: HeaderPlace,
  fits: Fits,
): LikelyHeader | undefined {
  const filled = rows.filter(({ cells }) => widthOf(cells) > 0);
  const read = filled.find(({ row }) => row >= firstRow(place));
  const sorted = read === undefined ? filled : [read, ...filled];
  let best: TopRow | undefined;
  let score = 0;
  for (const one of sorted) {
    const own = fits(one.cells);
    if (own <= score) continue;
    best = one;
    score = own;
  }
  const usual = usualWidth(filled);
  best ??= sorted.find(({ cells }) => widthOf(cells) >= usual);
  if (best === undefined) return undefined;
  return { row: best.row, score: Math.max(score, SHAPED), isRead: best === read };
}

function widthOf(cells: readonly string[]): number {
  return cells.filter((cell) => cell.trim() !== '').length;
}

/** The most frequent number of filled cells. Rows with fewer than two filled cells do not count. */
function usualWidth(rows: readonly TopRow[]): number {
  const counts = new Map<number, number>();
  for (const { cells } of rows) {
    const width = widthOf(cells);
    if (width > 1) counts.set(width, (counts.get(width) ?? 0) + 1);
  }
  const [usual = [Number.POSITIVE_INFINITY]] = [...counts].sort(
    ([a, as], [b, bs]) => bs - as || b - a,
  );
  return usual[0];
}
