import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { workbook } from './workbook.ts';

/** A program that opens a CSV file (UTF-8, commas) and saves it again, as people do to repair it. */
export interface Spreadsheet {
  readonly name: string;
  /**
   * @param columns `text`: reads all columns as text. `guessed`: converts what looks like a number to a number.
   */
  save(from: string, to: string, as: 'csv' | 'xlsx', columns: 'text' | 'guessed'): Promise<void>;
}

export function readCells(file: string): string[][] {
  return parse(readFileSync(file), { bom: true, relax_column_count: false });
}

export function writeCells(file: string, rows: readonly (readonly string[])[]): void {
  const quoted = (text: string) =>
    /[,"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  writeFileSync(file, rows.map((cells) => `${cells.map(quoted).join(',')}\n`).join(''));
}

/** Reads and writes cells with a library, and shows numbers as a spreadsheet does. */
export const csvLibrary: Spreadsheet = {
  name: 'csv-parse',
  async save(from, to, as, columns) {
    const rows = readCells(from);
    const isNumber = (text: string) =>
      columns === 'guessed' && /^[+-]?\d+(\.\d+)?(E\d+)?$/i.test(text);
    if (as === 'xlsx') {
      const cells = rows.map((row) => row.map((text) => (isNumber(text) ? Number(text) : text)));
      writeFileSync(to, workbook({ Sheet1: cells }));
      return;
    }
    const shown = (text: string) => {
      if (!isNumber(text)) return text;
      const number = Number(text);
      // A cell shows eleven digits at most.
      return Math.abs(number) < 1e11 ? String(number) : number.toExponential(5).toUpperCase();
    };
    writeCells(
      to,
      rows.map((row) => row.map(shown)),
    );
  },
};
