import { randomUUID } from 'node:crypto';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readSheet } from 'read-excel-file/node';
import { messageOf, ProcError } from '../../core/errors.ts';
import { MAX_COLUMNS } from './limits.ts';

/** A workbook is read as a whole: a larger one takes more memory than an import may. */
const MOST_BYTES = 24 << 20;

const PIECE = 64 << 10;

/** A number of a cell as the workbook writes it, kept apart from text that looks the same. */
class CellNumber {
  readonly value: number;
  constructor(text: string) {
    this.value = Number(text);
  }
}

type Cell = string | boolean | Date | CellNumber | null;

/** True for .xlsx, told by its first bytes. */
export function isWorkbook(head: Buffer): boolean {
  return /^PK\x03\x04[\s\S]*(?:\[Content_Types\]|xl\/)/.test(head.toString('latin1'));
}

export interface WorkbookRows {
  /** One JSON object per row, by the header. Goes when the import has it in its journal. */
  readonly path: string;
  readonly bytes: number;
  readonly sheet: string;
}

/**
 * Makes a sheet a file of one JSON object per row. Its first row with anything in it is the header.
 * Numbers stay numbers; dates become ISO text.
 *
 * @param sheet undefined for the first one
 * @throws ProcError `invalid_input`, `invalid_usage` where there is no such sheet
 */
export async function workbookRows(
  path: string,
  name: string,
  folder: string,
  sheet: string | undefined,
): Promise<WorkbookRows> {
  const { size } = await stat(path);
  if (size > MOST_BYTES) {
    throw new ProcError('invalid_input', `${name} is a workbook of more than 24 MiB`, {
      hint: 'Save the sheet as "CSV UTF-8" (File, Save As) and import that file: it may be of any size.',
    });
  }
  const rows = await cellsOf(path, name, sheet);
  const top = rows.findIndex((row) => row.some((cell) => textIn(cell) !== ''));
  if (top < 0) throw new ProcError('invalid_input', `${name} is empty: its sheet has no cells`);
  const columns = header(rows[top]!, name);
  const kept = join(folder, `input-${randomUUID()}`);
  let bytes = 0;
  try {
    await using file = await open(kept, 'wx', 0o600);
    let waiting = '';
    const flush = async () => {
      await file.writeFile(waiting);
      bytes += Buffer.byteLength(waiting);
      waiting = '';
    };
    for (let at = top + 1; at < rows.length; at++) {
      waiting += record(rows[at]!, columns);
      if (waiting.length >= PIECE) await flush();
    }
    await flush();
  } catch (thrown) {
    await rm(kept, { force: true });
    throw new ProcError('state_unwritable', `${name} cannot be unpacked: ${messageOf(thrown)}`, {
      hint: 'Make room, or set PROC_STATE_DIR to another folder',
      cause: thrown,
    });
  }
  return { path: kept, bytes, sheet: sheet ?? '1' };
}

async function cellsOf(
  path: string,
  name: string,
  sheet: string | undefined,
): Promise<readonly (readonly Cell[])[]> {
  try {
    const rows = await readSheet(path, sheet ?? 1, {
      trim: false,
      parseNumber: (text: string) => new CellNumber(text),
    });
    return rows as unknown as readonly (readonly Cell[])[];
  } catch (thrown) {
    const { name: kind, sheets } = thrown as { name?: unknown; sheets?: readonly string[] };
    if (kind === 'SheetNotFoundError') {
      throw new ProcError('invalid_usage', `${name} has no sheet ${JSON.stringify(sheet)}`, {
        hint: sheets === undefined ? undefined : `Sheets: ${sheets.join(', ')}`,
      });
    }
    throw new ProcError(
      'invalid_input',
      `${name} is no workbook that can be read: ${messageOf(thrown)}`,
      {
        hint: 'Save the sheet as "CSV UTF-8" (File, Save As) and import that file.',
        cause: thrown,
      },
    );
  }
}

function header(cells: readonly Cell[], name: string): readonly string[] {
  const columns = cells.map((cell, index) => textIn(cell).trim() || `column ${index + 1}`);
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) {
    throw new ProcError('invalid_input', `${name} has two columns named ${JSON.stringify(twice)}`, {
      hint: 'Give each column a name of its own.',
    });
  }
  if (columns.length > MAX_COLUMNS) {
    throw new ProcError(
      'invalid_input',
      `${name} has ${columns.length} columns, at most ${MAX_COLUMNS} are possible`,
    );
  }
  return columns;
}

/** A line for each row of the sheet, so that lines are rows; an empty row is an empty line. */
function record(cells: readonly Cell[], columns: readonly string[]): string {
  if (cells.every((cell) => textIn(cell) === '')) return '\n';
  const fields = columns.map((column, index) => [column, jsonOf(cells[index] ?? null)]);
  return `${JSON.stringify(Object.fromEntries(fields))}\n`;
}

function jsonOf(cell: Cell): unknown {
  if (cell instanceof CellNumber) return cell.value;
  if (cell instanceof Date) return textIn(cell);
  return cell;
}

function textIn(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  if (cell instanceof CellNumber) return String(cell.value);
  if (cell instanceof Date) {
    const text = cell.toISOString();
    return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19);
  }
  return String(cell);
}
