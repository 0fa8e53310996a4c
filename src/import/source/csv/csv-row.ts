import { isUtf8 } from 'node:buffer';
import type { Problem } from '../../../core/problem/row-problem.ts';
import { FAST_FIELDS } from '../bytes/limits.ts';
import { firstInvalid, problemOf } from '../encoding/not-utf8.ts';
import type { SourceFormat, SourceRecord } from '../record.ts';

export class CsvRow {
  readonly names: readonly string[];
  readonly #encoding: SourceFormat['encoding'];
  readonly #blank: Readonly<Record<string, string>>;

  constructor(columns: readonly string[], encoding: SourceFormat['encoding']) {
    this.names = columns;
    this.#encoding = encoding;
    this.#blank = blankRow(columns);
  }

  /**
   * @param raw true if the cells are bytes instead of text: each character is one byte (Latin-1).
   * The bytes of a cell may be invalid UTF-8
   */
  read(
    cells: readonly string[],
    raw: boolean,
  ): { readonly fields: SourceRecord['fields']; readonly problem?: Problem } {
    const columns = this.names;
    const wrongCount = cells.length === columns.length ? undefined : this.#count(cells);
    if (wrongCount !== undefined) return { fields: undefined, problem: wrongCount };
    const fields: Record<string, unknown> = { ...this.#blank };
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index]!;
      let cell = cells[index]!;
      if (raw) {
        const bytes = Buffer.from(cell, 'latin1');
        if (!isUtf8(bytes)) return { fields: undefined, problem: this.#invalid(bytes, column) };
        cell = bytes.toString('utf8');
      }
      if (cell.includes('\0')) {
        const args = { character: cell.indexOf('\0') + 1 };
        return { fields: undefined, problem: { code: 'nul', field: column, args } };
      }
      fields[column] = cell;
    }
    return { fields };
  }

  /** Empty extra cells are accepted. Missing cells are a problem: any cell may be the missing one. */
  #count(cells: readonly string[]): Problem | undefined {
    const columns = this.names.length;
    if (cells.length > columns && cells.slice(columns).every((cell) => cell.trim() === '')) {
      return undefined;
    }
    return { code: 'cell_count', args: { cells: cells.length, columns } };
  }

  #invalid(bytes: Buffer, field: string): Problem {
    const invalid = firstInvalid(bytes)!;
    return { field, ...problemOf(invalid, this.#encoding, invalid.before.length + 1) };
  }
}

/**
 * Copying a row of empty cells is much faster than adding columns one by one. In the copy, a column
 * named `__proto__` is an ordinary column.
 */
function blankRow(columns: readonly string[]): Record<string, string> {
  // A row with so many columns is a hash table: faster to fill than to copy.
  if (columns.length > FAST_FIELDS && !columns.includes('__proto__')) return {};
  // JSON.parse makes a faster object, but mixes up names that contain escapes (see parseRecord).
  if (columns.some((column) => JSON.stringify(column) !== `"${column}"`)) {
    return Object.fromEntries(columns.map((column) => [column, '']));
  }
  const text = columns.map((column) => `"${column}":""`).join(',');
  return JSON.parse(`{${text}}`) as Record<string, string>;
}
