import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ProcError, unreadable } from '../../core/errors.ts';
import { CsvCutter } from '../source/csv/csv-cutter.ts';
import { findShape } from '../source/csv/csv-shape.ts';

/**
 * The values of `--map-value`, where each file is replaced by its rows.
 *
 * @throws ProcError `unreadable_file`, `invalid_input`
 */
export function mappedValues(typed: readonly string[], cwd: string): readonly string[] {
  return typed.flatMap((text) => {
    const [, field, file = ''] = /^([^:=]+):([^=]+)$/.exec(text) ?? [];
    return field === undefined ? [text] : rowsOf(field, file, cwd);
  });
}

/** The file has two columns, and no header: what the source has, and what is sent. */
function rowsOf(field: string, file: string, cwd: string): string[] {
  const flag = `--map-value ${field}:${file}`;
  let text: string;
  try {
    text = readFileSync(resolve(cwd, file), 'utf8').replace(/^\uFEFF/, '');
  } catch (thrown) {
    throw unreadable(flag, thrown);
  }
  const cutter = new CsvCutter(text, findShape(text, true));
  const values: string[] = [];
  for (let at = 0, line = 1; at < text.length; ) {
    const cut = cutter.cut(at);
    const cells = cut?.cells.map((cell) => cell.trim()) ?? [];
    if (cut === undefined || cut.problem !== undefined || ![0, 2].includes(widthOf(cells))) {
      throw new ProcError('invalid_input', `${flag}: line ${line} must have two cells`, {
        hint: 'Use one line for each value, e.g. ST,EA',
      });
    }
    const [from = '', to = ''] = cells;
    if (widthOf(cells) === 2) values.push(`${field}:${from}=${to}`);
    at = cut.next;
    line += cut.lines;
  }
  return values;
}

/** 0 for an empty line. */
function widthOf(cells: readonly string[]): number {
  return cells.every((cell) => cell === '') ? 0 : cells.length;
}
