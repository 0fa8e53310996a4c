import { ProcError } from '../../../core/errors.ts';
import { MAX_COLUMNS } from '../bytes/limits.ts';
import { type Columns, namedColumns } from '../columns.ts';

/**
 * Empty cells at the end of a header are no columns: some files end each line with a delimiter.
 *
 * @param place the file and line, for errors
 * @throws ProcError `invalid_input` if there are too many columns
 */
export function readHeader(cells: readonly string[], place: string): Columns {
  if (cells.length > MAX_COLUMNS) {
    throw new ProcError(
      'invalid_input',
      `${place}: the header has ${cells.length} columns; the maximum is ${MAX_COLUMNS}`,
    );
  }
  const headers = [...cells];
  while (headers.length > 1 && headers.at(-1)!.trim() === '') headers.pop();
  return namedColumns(headers);
}
