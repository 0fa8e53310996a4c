import { ProcError } from '../../../core/errors.ts';
import { MAX_COLUMNS } from '../bytes/limits.ts';

/**
 * The columns that a header names, trimmed. An empty last cell is not a column (some files end each
 * line with a delimiter); any other empty cell is named by its position: `column 3`.
 *
 * @param place the file and line, for errors. Throws `invalid_input`.
 */
export function readHeader(cells: readonly string[], place: string): readonly string[] {
  if (cells.length > MAX_COLUMNS) {
    throw new ProcError(
      'invalid_input',
      `${place}: the header has ${cells.length} columns; the maximum is ${MAX_COLUMNS}`,
    );
  }
  const names = cells.map((cell) => cell.trim());
  while (names.length > 1 && names.at(-1) === '') names.pop();
  const columns = names.map((name, index) => (name === '' ? `column ${index + 1}` : name));
  const places = new Map<string, number>();
  for (const [index, column] of columns.entries()) {
    const first = places.get(column);
    if (first !== undefined) {
      throw new ProcError(
        'invalid_input',
        `${place}: the header has ${JSON.stringify(column)} twice, in columns ${first + 1} and ${index + 1}`,
        { hint: 'Rename or remove one of the two columns.' },
      );
    }
    places.set(column, index);
  }
  return columns;
}
