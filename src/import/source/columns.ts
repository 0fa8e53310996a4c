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
