import { EXIT, type ExitCode, ProcError } from '../core/errors.ts';
import type { Say, Streams, Terminal } from '../core/io.ts';
import { isObject } from '../core/json.ts';
import { grouped, isRawNumber, numberText } from '../core/numbers.ts';
import type { BytesResult, Column, RecordResult, Result, Row, RowsResult } from '../core/result.ts';
import { visible, visibleLines } from '../terminal/sanitise.ts';
import { paint } from '../terminal/terminal.ts';
import { drain, isClosed, requireOpen, writeOut } from '../terminal/write.ts';
import { columnsOf, pick, valueAt } from './cell.ts';
import { batched, batchesOf, jsonArray, jsonLine, jsonText, ndjson } from './format.ts';
import type { OutputPlan } from './output-plan.ts';
import type { Selection } from './select.ts';
import type { Sink } from './sink.ts';
import type { TableOptions } from './table.ts';

export interface RenderOptions {
  readonly plan: OutputPlan;
  readonly streams: Streams;
  readonly terminal: Terminal;
  readonly say: Say;
}

interface Rendering extends RenderOptions {
  readonly sink: Sink;
}

type Shown = Exclude<Result, { kind: 'none' }>;

/**
 * Renders the result of a command: rows → filters → sort → limit → fields → query → format → stdout or
 * `--out`.
 *
 * @returns the exit code of the command; 0 if the reader closed the stream (`| head`)
 * @throws ProcError the failure of the result, after its data is written; `invalid_usage`
 */
export async function render(result: Result, options: RenderOptions): Promise<ExitCode> {
  if (result.kind === 'none') return result.exitCode ?? EXIT.done;
  let isDelivered = false;
  try {
    if (!isRepetition(result, options)) {
      const delivered = await deliver(result, options);
      isDelivered = delivered.isDelivered;
      if (delivered.failure !== undefined) throw delivered.failure;
    }
    return ('reportedExit' in result ? result.reportedExit : undefined) ?? EXIT.done;
  } finally {
    if ('afterDelivery' in result) result.afterDelivery?.(isDelivered);
  }
}

/** A person at a terminal has read what the write did. Whoever asks for an output gets it. */
function isRepetition(result: Shown, { plan, terminal }: RenderOptions): boolean {
  if (!('isSaid' in result) || result.isSaid !== true || !terminal.stdoutIsTerminal) return false;
  const { format, isFormatAsked, out, fields, query } = plan;
  const isAsked = isFormatAsked || [out, fields, query].some((one) => one !== undefined);
  return format === 'table' && !isAsked && result.failure === undefined;
}

/** @returns whether the output is written and its reader still there, and the failure of the result */
async function deliver(result: Shown, options: RenderOptions) {
  const { plan, streams, say } = options;
  // A failed request must not replace the content of an existing file.
  if (result.kind === 'bytes' && result.failure !== undefined && plan.out !== undefined) {
    throw result.failure;
  }
  if (result.kind === 'record' && plan.where.length > 0) {
    throw new ProcError('invalid_usage', '--where applies to lists, not to a single record', {
      hint: 'Remove --where',
    });
  }
  const sink =
    plan.out === undefined
      ? stdoutSink(options)
      : (await import('./sink.ts')).openOutFile(plan.out);
  const rendering = { ...options, sink };
  let rendered: Rendered = {};
  try {
    if (result.kind === 'text') {
      const { text } = result;
      const isPiecewise = typeof text !== 'string';
      await writePieces(isPiecewise ? text : [text.endsWith('\n') ? text : `${text}\n`], sink);
    } else if (result.kind === 'bytes') await writeBytes(result, rendering);
    else if (result.kind === 'record') await renderRecord(result, rendering);
    else rendered = await renderRows(result, rendering);
    await sink.commit();
  } catch (thrown) {
    await sink.abort();
    throw thrown;
  }
  const isDelivered = plan.out !== undefined || (await drain(streams.stdout));
  if (!sink.closed()) rendered.remarks?.();
  const failure = typeof result.failure === 'function' ? result.failure() : result.failure;
  if (plan.outName !== undefined) {
    const what = rendered.what === undefined ? '' : `${rendered.what} to `;
    const doubt = failure?.code === 'incomplete' ? ', which may be incomplete' : '';
    say({ kind: 'notice', text: `Wrote ${what}${plan.outName}${doubt}` });
  }
  return { isDelivered, failure };
}

/** @throws ProcError `unwritable_output`, if standard output was closed from the start (`>&-`) */
function stdoutSink({ streams: { stdout }, terminal: { stdoutIsTerminal } }: RenderOptions): Sink {
  requireOpen(stdout);
  const write = (text: string | Uint8Array) => writeOut(stdout, text);
  const nothing = async () => undefined;
  return {
    write,
    writeData: (text) => write(stdoutIsTerminal ? visibleLines(text) : text),
    closed: () => isClosed(stdout),
    commit: nothing,
    abort: nothing,
  };
}

async function writeBytes({ head, bytes }: BytesResult, rendering: Rendering): Promise<void> {
  const { plan, terminal, sink } = rendering;
  if (head !== undefined) await sink.writeData(head);
  if (plan.out !== undefined || !terminal.stdoutIsTerminal) return sink.write(bytes);
  const text = Buffer.from(bytes).toString('utf8');
  await sink.writeData(text === '' || text.endsWith('\n') ? text : `${text}\n`);
}

interface Rendered {
  /** Prints the notices, after the data. */
  readonly remarks?: () => void;
  /** What was written: `500 orders`. */
  readonly what?: string;
}

async function renderRows(result: RowsResult, rendering: Rendering): Promise<Rendered> {
  const { plan, say, terminal } = rendering;
  const { query, fields } = plan;
  const { batches, seen, report } = isShaped(result, plan)
    ? (await import('./select.ts')).select(result, plan)
    : asTheyCome(result, plan.limit);
  if (query === undefined) await writeRows(result, batches, rendering);
  else {
    const rows = await collected(batches);
    const picked = fields === undefined ? rows : rows.map((row) => pick(row, fields));
    (await import('./select.ts')).refuseUnread(query.reads, picked, result);
    await writeQueried(query(picked), result, new Set(picked), rendering);
  }
  const remarks = (): void => {
    report(say);
    const { empty, footnote } = result;
    const isTable = plan.format === 'table';
    if (typeof empty === 'function') {
      if (seen.matched === 0) say({ kind: 'notice', text: empty() });
    } else if (seen.fetched === 0 && isTable) say({ kind: 'notice', text: empty });
    if (!isTable || plan.out !== undefined || !terminal.stdoutIsTerminal) return;
    const note = footnote?.(seen.fetched);
    if (note !== undefined) say({ kind: 'notice', text: note });
  };
  const { noun = 'rows' } = result;
  const counted = `${grouped(seen.matched)} ${seen.matched === 1 ? noun.slice(0, -1) : noun}`;
  return { remarks, ...(query === undefined ? { what: counted } : {}) };
}

function isShaped({ filter, sort, isSorted }: RowsResult, plan: OutputPlan): boolean {
  const own = isSorted === true ? filter : (filter ?? sort);
  return plan.where.length > 0 || (plan.fields ?? plan.sort ?? own) !== undefined;
}

/** Rows without a filter or sort, at most `limit`. */
function asTheyCome(
  result: RowsResult,
  limit = result.limit ?? Number.POSITIVE_INFINITY,
): Selection {
  const seen = { fetched: 0, matched: 0 };
  async function* first(): AsyncGenerator<readonly Row[]> {
    for await (const batch of batchesOf(result)) {
      const room = limit - seen.matched;
      seen.fetched += batch.length;
      seen.matched += Math.min(batch.length, room);
      yield batch.slice(0, room);
      if (batch.length >= room) return;
    }
  }
  return { batches: first(), seen, report: () => undefined };
}

type Batches = AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;

async function collected(batches: Batches, rows: Row[] = []): Promise<Row[]> {
  for await (const batch of batches) for (const row of batch) rows.push(row);
  return rows;
}

async function* each<T, U>(batches: AsyncIterable<T> | Iterable<T>, change: (one: T) => U) {
  for await (const batch of batches) yield change(batch);
}

async function writePieces(
  pieces: AsyncIterable<string | Uint8Array> | Iterable<string>,
  sink: Pick<Sink, 'write' | 'closed'>,
): Promise<void> {
  for await (const piece of pieces) {
    await sink.write(piece);
    if (sink.closed()) return;
  }
}

async function writeRows(result: RowsResult, batches: Batches, rendering: Rendering) {
  const { plan, sink } = rendering;
  const { format, fields } = plan;
  if (format === 'json' || format === 'ndjson') {
    const picked = each(batches, (batch) =>
      fields === undefined ? batch : batch.map((row) => pick(row, fields)),
    );
    return writePieces(format === 'json' ? jsonArray(picked) : ndjson(picked), sink);
  }
  if (format === 'id') return writeIds(batches, result.idField, rendering, true);
  if (format !== 'table') return writeGrid(result, batches, rendering);
  const rows: Row[] = [];
  const show = () => writeTable(chosenColumns(rows, result.columns, fields), rows, rendering);
  try {
    await collected(batches, rows);
  } catch (thrown) {
    // After a failed request, the rows so far are still useful.
    if (result.isCut?.() === true && plan.out === undefined) await show();
    throw thrown;
  }
  return show();
}

/**
 * A CSV or workbook: the documented fields, then every other field of the rows. The header comes first, so
 * without `--fields` all rows are read before it.
 */
async function writeGrid(
  { columns, fields: documented = [] }: Pick<RowsResult, 'columns' | 'fields'>,
  batches: Batches,
  { plan, sink }: Rendering,
): Promise<void> {
  let { fields } = plan;
  let rows = batches;
  if (fields === undefined) {
    const all = await collected(batches);
    const names = new Set(documented.length > 0 ? documented : columns.map(({ key }) => key));
    for (const row of all) for (const key of Object.keys(row)) names.add(key);
    fields = [...names];
    rows = batched(all);
  }
  if (plan.format === 'csv') {
    const { csv } = await import('./csv.ts');
    const write = (text: string | Uint8Array) => sink.writeData(String(text));
    return writePieces(csv(fields, rows), { ...sink, write });
  }
  const { workbook } = await import('./xlsx.ts');
  return writePieces(workbook({ name: 'proc', fields }, rows), sink);
}

/** The columns of `--fields`; else the declared columns, or a column for each field if none is declared. */
function chosenColumns(
  rows: readonly Row[],
  declared: readonly Column[],
  fields: readonly string[] | undefined,
): readonly Column[] {
  if (fields === undefined) return declared.length === 0 ? columnsOf(rows) : declared;
  const found = columnsOf(
    rows.map((row) => pick(row, fields)),
    declared,
  );
  return fields.map((key) => {
    const column = found.find((one) => one.key === key) ?? { key, header: key };
    // A field that the user asked for is not the first to be hidden.
    return column.priority === 0 ? { ...column, priority: 1 } : column;
  });
}

function tableOptions({ plan, terminal }: Rendering): TableOptions {
  const toStdout = plan.out === undefined;
  return {
    width: toStdout && terminal.stdoutIsTerminal ? terminal.width : undefined,
    paint: paint(toStdout && terminal.color.stdout),
  };
}

async function writeTable(columns: readonly Column[], rows: readonly Row[], rendering: Rendering) {
  if (rows.length === 0) return;
  const { rowsTable } = await import('./table.ts');
  const { text, hidden } = rowsTable(columns, rows, tableOptions(rendering));
  await rendering.sink.write(text);
  if (hidden.length === 0) return;
  rendering.say({
    kind: 'notice',
    text: `Hidden columns: ${hidden.join(', ')}. To see them, use a wider terminal, --fields or -o json.`,
  });
}

/** @throws ProcError `invalid_usage` if no row of a list has an id */
async function writeIds(
  batches: Batches,
  name = 'id',
  { sink, say }: Rendering,
  isList = false,
): Promise<void> {
  let written = 0;
  let without = 0;
  const lineOf = (row: Row): string => {
    const id = valueAt(row, name);
    const shown = numberText(id) ?? (typeof id === 'string' ? id : '');
    if (shown === '') without++;
    else written++;
    // Line breaks inside an id are escaped, because readers expect one id per line.
    return shown === '' ? '' : `${/[\r\n]/.test(shown) ? visible(shown) : shown}\n`;
  };
  for await (const batch of batches) {
    await sink.writeData(batch.map(lineOf).join(''));
    if (sink.closed()) return;
  }
  if (without === 0) return;
  const text = `-o id: ${without === 1 ? '1 row has' : `${grouped(without)} rows have`} no "${name}"`;
  if (written > 0 || !isList) return say({ kind: 'warning', text });
  throw new ProcError('invalid_usage', text, {
    hint: 'Use another format, e.g. -o csv, or select values with --query',
  });
}

async function renderRecord(result: RecordResult, rendering: Rendering): Promise<void> {
  const { plan, sink } = rendering;
  const { fields, query } = plan;
  const { columns = [], value, idField, isBrief, page } = result;
  const picked = fields === undefined ? value : pick(value, fields);
  const isRead = result.fields !== undefined;
  if (isRead && (fields ?? query) !== undefined) {
    const { refuseUnknown, refuseUnread } = await import('./select.ts');
    if (fields !== undefined) refuseUnknown('--fields', fields, [value], result);
    if (query !== undefined) refuseUnread(query.reads, [picked], result);
  }
  if (query !== undefined) {
    return writeQueried(query(picked), { columns, idField }, new Set(), rendering);
  }
  if (plan.format !== 'table') {
    return writeRecord(plan.format === 'id' ? value : picked, columns, idField, rendering);
  }
  if (page !== undefined && fields === undefined) {
    const options = tableOptions(rendering);
    const blocks = await page({ width: options.width, bold: options.paint.bold });
    if (typeof blocks === 'string') return sink.write(blocks);
    const { blocksText } = await import('./table.ts');
    return sink.write(blocksText(blocks, options));
  }
  // The row keeps all fields: the currency of an amount may be in a field that --fields does not show.
  const known = chosenColumns([value], columns, fields);
  const isWhole = fields !== undefined || isBrief === true;
  return writeRecord(
    value,
    isWhole ? known : [...known, ...othersOf(value, known)],
    idField,
    rendering,
  );
}

function othersOf(value: Row, known: readonly Column[]): Column[] {
  const hasCurrency = known.some(({ kind, key }) => kind === 'amount' && value[key] != null);
  return columnsOf([value]).filter(
    ({ key }) => !known.some((one) => one.key === key) && !(hasCurrency && key === 'currency'),
  );
}

async function writeRecord(
  value: Row,
  columns: readonly Column[],
  idField: string | undefined,
  rendering: Rendering,
): Promise<void> {
  const { plan, sink } = rendering;
  switch (plan.format) {
    case 'id':
      return writeIds([[value]], idField, rendering);
    case 'table': {
      const { recordTable } = await import('./table.ts');
      return sink.write(recordTable(columns, value, tableOptions(rendering)));
    }
    case 'json':
      return sink.write(jsonText(value));
    case 'ndjson':
      return sink.write(jsonLine(value));
    default: {
      const fields = Object.keys(value);
      return writeGrid({ columns }, [[value]], { ...rendering, plan: { ...plan, fields } });
    }
  }
}

function isRow(value: unknown): value is Row {
  return isObject(value) && !isRawNumber(value);
}

/** Lists become columns 1, 2, …, single values the column `value`. */
function asRow(value: unknown): Row {
  if (isRow(value)) return value;
  if (!Array.isArray(value)) return { value };
  return Object.fromEntries(value.map((one, index) => [String(index + 1), one]));
}

function plainText(value: unknown): string {
  return numberText(value) ?? (typeof value === 'string' ? value : JSON.stringify(value));
}

/**
 * @param inputs the rows before the query. If the query returns only such rows, unchanged, the command's
 * columns are shown.
 */
async function writeQueried(
  value: unknown,
  { columns, idField }: Pick<RowsResult, 'columns' | 'idField'>,
  inputs: ReadonlySet<unknown>,
  rendering: Rendering,
): Promise<void> {
  const { plan, sink, say } = rendering;
  const { format } = plan;
  const isList = Array.isArray(value);
  const values: readonly unknown[] = isList ? value : [value];
  if (format === 'json') {
    return isList ? writePieces(jsonArray([values]), sink) : sink.write(jsonText(value));
  }
  if (format === 'ndjson') return sink.write(values.map(jsonLine).join(''));
  if (value === null) return say({ kind: 'notice', text: '--query: the result is null' });
  if (isRow(value)) return writeRecord(value, columnsOf([value], columns), idField, rendering);
  // Single values are lines of text.
  if (format === 'table' ? !isList : format === 'id' && !values.some(isRow)) {
    const lineOf = (one: unknown) => {
      const text = plainText(one);
      return `${isList ? text.replace(/[\r\n]+/g, ' ') : text}\n`;
    };
    return sink.writeData(values.map(lineOf).join(''));
  }
  const rows = values.map(asRow);
  if (format === 'id') return writeIds([rows], idField, rendering);
  const found = columnsOf(rows, columns);
  if (format === 'table') {
    const isChosen = rows.every((row) => inputs.has(row)) && plan.fields === undefined;
    return writeTable(isChosen && columns.length > 0 ? columns : found, rows, rendering);
  }
  const fields = found.map(({ key }) => key);
  return writeGrid({ columns }, [rows], { ...rendering, plan: { ...plan, fields } });
}
