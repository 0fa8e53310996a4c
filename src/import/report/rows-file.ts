import { messageOf, ProcError } from '../../core/errors.ts';
import type { Row } from '../../core/result.ts';
import { batched } from '../../output/batched.ts';
import { csv } from '../../output/csv.ts';
import { jsonArray, jsonLine } from '../../output/json.ts';
import { writeOutFile } from '../../output/sink.ts';
import { MOST_TEXT, workbook } from '../../output/xlsx.ts';
import { PRIVATE, writeWholeFile } from '../../store/whole-file.ts';
import type { Run } from '../store/run-file.ts';
import { LINES, rowLayout } from './row-layout.ts';

/** Rows in memory at once. A run may have a million. */
const PER_BATCH = 500;

const FORMATS = ['csv', 'xlsx', 'ndjson', 'json'] as const;
type Format = (typeof FORMATS)[number];

/** Undefined if the extension selects no format. */
function formatOf(file: string): Format | undefined {
  const ending = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase();
  return FORMATS.find((one) => one === ending);
}

/** @throws ProcError `invalid_usage` if the extension of the file selects no format */
export function checkRowsFile(flag: string, file: string | undefined): void {
  if (file === undefined || formatOf(file) !== undefined) return;
  throw new ProcError(
    'invalid_usage',
    `${flag} ${file}: its extension selects the format, one of: ${FORMATS.map((one) => `.${one}`).join(', ')}`,
    { hint: `Use e.g. ${flag} ${flag.slice(2)}.xlsx` },
  );
}

/**
 * Writes all rows of a run, in the format that the extension of the file selects.
 *
 * @throws ProcError `unwritable_output`; an existing file stays unchanged
 */
export async function writeRowsFile(run: Run, path: string, flag: string): Promise<void> {
  await writeOutFile(path, flag, async (write) => {
    for await (const piece of piecesOf(run, formatOf(path))) await write(piece);
  });
}

function piecesOf(run: Run, format: Format | undefined): AsyncIterable<string | Uint8Array> {
  const { fields, rows } = rowLayout(run);
  const batches = batched(rows(), PER_BATCH);
  if (format === 'json') return jsonArray(batches);
  if (format === 'ndjson') return lines(batches);
  if (format === 'csv') return csv(fields, batches);
  const more = furtherColumns(run, fields);
  const at = fields.indexOf(LINES) + 1;
  const columns = [...fields.slice(0, at), ...more, ...fields.slice(at)];
  return workbook({ name: 'Rows', fields: columns }, inColumns(batches, more));
}

async function* lines(batches: Iterable<readonly Row[]>): AsyncGenerator<string> {
  for (const batch of batches) yield batch.map(jsonLine).join('');
}

/** A cell holds 32,767 characters: longer lines of a requisition continue in `groups 2`, `groups 3`, … */
function furtherColumns(run: Run, fields: readonly string[]): readonly string[] {
  const longest = fields.includes(LINES) ? run.rows.reported.longestPayload() : 0;
  const length = Math.max(0, Math.ceil(longest / (MOST_TEXT - 1)) - 1);
  return Array.from({ length }, (_, index) => `${LINES} ${index + 2}`);
}

function* inColumns(batches: Iterable<readonly Row[]>, more: readonly string[]) {
  for (const batch of batches) yield batch.map((row) => inCells(row, more));
}

function inCells(row: Row, more: readonly string[]): Row {
  const cells: Record<string, unknown> = { ...row };
  for (const [name, value] of Object.entries(row)) {
    const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
    if (typeof text !== 'string' || text.length <= MOST_TEXT) continue;
    const [first, rest] = splitText(text);
    cells[name] = name === LINES ? first : `${first.slice(0, -1)}…`;
    if (name !== LINES) continue;
    let left = rest;
    for (const column of more) [cells[column], left] = splitText(left);
  }
  return cells;
}

/** The beginning that fits in a cell, and the rest. A pair of surrogates stays together. */
function splitText(text: string): [string, string] {
  const isPair = /[\ud800-\udbff]/.test(text[MOST_TEXT - 1] ?? '');
  const end = isPair ? MOST_TEXT - 1 : MOST_TEXT;
  return [text.slice(0, end), text.slice(end)];
}

const PIECE = 64 * 1024;

export function writeWhole(
  path: string,
  flag: string,
  pieces: Iterable<string>,
  encode: (text: string) => Buffer = (text) => Buffer.from(text),
): void {
  try {
    writeWholeFile(path, encoded(pieces, encode), PRIVATE);
  } catch (thrown) {
    throw unwritable(flag, path, thrown);
  }
}

const CHOOSE_FOLDER: string = 'Choose a file in a folder where you have write permission';

export function unwritable(
  flag: string,
  path: string,
  thrown: unknown,
  hint = CHOOSE_FOLDER,
): ProcError {
  const message = `cannot write ${flag} ${path}: ${messageOf(thrown)}`;
  return new ProcError('unwritable_output', message, { hint, cause: thrown });
}

function* encoded(pieces: Iterable<string>, encode: (text: string) => Buffer): Generator<Buffer> {
  let waiting = '';
  for (const piece of pieces) {
    waiting += piece;
    if (waiting.length < PIECE) continue;
    yield encode(waiting);
    waiting = '';
  }
  yield encode(waiting);
}
