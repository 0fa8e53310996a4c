import { ProcError } from '../../core/errors.ts';

/** `--header-row`. By default, the first row that is not empty is the header. */
export interface HeaderPlace {
  /** Line of the file or row of the sheet, from 1; 0: the table has no header. */
  readonly headerRow?: number | undefined;
}

/** The first row in which proc looks for the header, or for data if the table has no header. */
export function firstRow({ headerRow = 0 }: HeaderPlace): number {
  return Math.max(headerRow, 1);
}

/**
 * Refuses a `--header-row` that is empty.
 *
 * @param row the first row with cells, at or after `headerRow`
 * @throws ProcError `invalid_usage`
 */
export function checkFound({ headerRow = 0 }: HeaderPlace, row: number, name: string): void {
  if (headerRow === 0 || row === headerRow) return;
  throw new ProcError(
    'invalid_usage',
    `--header-row ${headerRow}: row ${headerRow} of ${name} is empty`,
    { hint: `The next row with cells is ${row}: --header-row ${row}` },
  );
}

export function noRowLeft({ headerRow }: HeaderPlace, rows: number, name: string): ProcError {
  return new ProcError('invalid_usage', `--header-row ${headerRow}: ${name} ends at row ${rows}`);
}

/** Column names are unique. */
export interface Columns {
  readonly names: readonly string[];
  /** For a header that several columns share: the names of these columns. */
  readonly repeated: ReadonlyMap<string, readonly string[]>;
}

/**
 * A column without a header is named `column 3`, by its position. Two columns `Name` become `Name
 * (column 2)` and `Name (column 5)`.
 */
export function namedColumns(headers: readonly string[]): Columns {
  const titles = headers.map((header, index) => header.trim() || `column ${index + 1}`);
  const places = new Map<string, number[]>();
  for (const [index, title] of titles.entries()) {
    places.set(title, [...(places.get(title) ?? []), index]);
  }
  const names = [...titles];
  const repeated = new Map<string, readonly string[]>();
  for (const [title, indexes] of places) {
    if (indexes.length === 1) continue;
    for (const index of indexes) {
      let name = `${title} (column ${index + 1})`;
      while (places.has(name)) name += '*';
      names[index] = name;
    }
    repeated.set(
      title,
      indexes.map((index) => names[index]!),
    );
  }
  return { names, repeated };
}

export function unnamed(count: number): Columns {
  return namedColumns(Array<string>(count).fill(''));
}
