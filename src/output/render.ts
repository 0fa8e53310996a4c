import { ProcError } from '../core/errors.ts';
import { EXIT, type ExitCode } from '../core/exit-codes.ts';
import type {
  BytesResult,
  RecordResult,
  Result,
  Row,
  RowsResult,
  TextResult,
} from '../core/result.ts';
import { inShell } from '../core/text/typed.ts';
import { paint } from '../terminal/paint.ts';
import { hasLeft } from '../terminal/write.ts';
import { chosenColumns, collect, writeRows } from './format/write-rows.ts';
import { writeBlocks, writeQueried, writeRecord } from './format/write-value.ts';
import type { Query } from './format-loader.ts';
import type { Rendering, RenderOptions } from './rendering.ts';
import { pick, valueAt } from './select/field-path.ts';
import { hintFor, reportMissing, select } from './select/select-fields.ts';
import { openSink, type Sink } from './sink.ts';

/**
 * Renders the result of a handler: rows → where → order-by → fields → query → format → stdout or
 * `--out`.
 *
 * @returns the exit code of the command; 0 if the reader closed the stream (`| head`)
 * @throws ProcError the failure of the result, after its data is written
 */
export async function render(result: Result, options: RenderOptions): Promise<ExitCode> {
  if (result.kind === 'none') return result.exitCode ?? EXIT.done;
  if (isRepetition(result, options)) {
    return ('reportedExit' in result ? result.reportedExit : undefined) ?? EXIT.done;
  }
  if (!('afterDelivery' in result)) return deliver(result, options, () => undefined);
  let isDelivered = false;
  try {
    return await deliver(result, options, async () => {
      isDelivered = options.plan.out !== undefined || (await hasLeft(options.streams.stdout));
    });
  } finally {
    result.afterDelivery?.(isDelivered);
  }
}

/** A person at a terminal has read what the write did. Whoever asks for an output gets it. */
function isRepetition(
  result: Exclude<Result, { kind: 'none' }>,
  { plan, terminal }: RenderOptions,
): boolean {
  if (!('isSaid' in result) || result.isSaid !== true || !terminal.stdoutIsTerminal) return false;
  const { format, isFormatAsked, out, fields, query } = plan;
  const isAsked = isFormatAsked || [out, fields, query].some((one) => one !== undefined);
  return format === 'table' && !isAsked && result.failure === undefined;
}

/** @param onWritten called after the data is written, if its reader is still there */
async function deliver(
  result: Exclude<Result, { kind: 'none' }>,
  options: RenderOptions,
  onWritten: () => void | Promise<void>,
): Promise<ExitCode> {
  const { plan, streams, terminal, say } = options;
  // A failed request must not replace the content of an existing file.
  if (result.kind === 'bytes' && result.failure !== undefined && plan.out !== undefined) {
    throw result.failure;
  }
  if (result.kind === 'record' && plan.where.length > 0) {
    throw new ProcError('invalid_usage', '--where applies to lists, not to a single record', {
      hint: 'Remove --where',
    });
  }
  const sink = await openSink(plan.out, streams.stdout, {
    ...terminal,
    isGzipped: plan.isGzipped,
  });
  const rendering = { ...options, sink };
  let rendered: Rendered = {};
  let failure: ProcError | undefined;
  try {
    if (result.kind === 'text') await writeText(result.text, sink);
    else if (result.kind === 'bytes') await writeBytes(result, rendering);
    else if (result.kind === 'record') rendered = await renderRecord(result, rendering);
    else rendered = await renderRows(result, rendering);
    // That the reader closed the stream is no failure. A failure known before the output still counts.
    if (sink.closed() && typeof result.failure !== 'object') return EXIT.done;
    failure = typeof result.failure === 'function' ? result.failure() : result.failure;
    const isCut = 'isCut' in result && result.isCut?.() === true;
    if (plan.out !== undefined && failure !== undefined && isCut) throw failure;
    await sink.commit();
  } catch (thrown) {
    await sink.abort();
    throw thrown;
  }
  await onWritten();
  rendered.remarks?.();
  if (plan.outName !== undefined) {
    const { what } = rendered;
    const doubt = failure?.code === 'incomplete' ? ', which may be incomplete' : '';
    const text = `Wrote ${what === undefined ? '' : `${what} to `}${plan.outName}${doubt}`;
    say({ kind: 'notice', text });
  }
  if (failure !== undefined) throw failure;
  return ('reportedExit' in result ? result.reportedExit : undefined) ?? EXIT.done;
}

async function writeText(text: TextResult['text'], sink: Sink): Promise<void> {
  if (typeof text === 'string') return sink.write(text.endsWith('\n') ? text : `${text}\n`);
  for await (const piece of text) await sink.write(piece);
}

async function writeBytes(
  { head, bytes }: BytesResult,
  { plan, terminal, sink }: Rendering,
): Promise<void> {
  if (head !== undefined) await sink.writeData(head);
  if (plan.out !== undefined || !terminal.stdoutIsTerminal) return sink.write(bytes);
  const text = Buffer.from(bytes).toString('utf8');
  await sink.writeData(text === '' || text.endsWith('\n') ? text : `${text}\n`);
}

interface Rendered {
  /** Prints the notices. Called after the data is written. */
  readonly remarks?: () => void;
  /** What was written: `500 orders`. */
  readonly what?: string;
}

async function renderRows(result: RowsResult, rendering: Rendering): Promise<Rendered> {
  const { plan, say, terminal, load } = rendering;
  const filtered = [...plan.where.map(({ field }) => field), ...(result.filter?.fields ?? [])];
  const values = filtered.length === 0 ? undefined : (await load.values())(filtered);
  const selection = select(result, { ...plan, values });
  const { query, fields } = plan;
  if (query === undefined) {
    await writeRows(result, selection.batches, rendering);
  } else {
    const rows = await collect(selection.batches);
    // What is asked of all rows has no answer for some of them.
    if (result.isCut?.() === true) return {};
    const picked = fields === undefined ? rows : rows.map((row) => pick(row, fields));
    refuseUnknown(query, picked, result);
    const idField = result.idField ?? 'id';
    await writeQueried(
      query(picked),
      new Set(picked),
      { columns: result.columns, idField },
      rendering,
    );
  }
  const remarks = (): void => {
    selection.report(say);
    const { fetched, matched } = selection.seen;
    const { empty } = result;
    if (typeof empty === 'function') {
      if (matched === 0) say({ kind: 'notice', text: empty() });
    } else if (fetched === 0 && plan.format === 'table') say({ kind: 'notice', text: empty });
    if (plan.format !== 'table') return;
    if (plan.out !== undefined || !terminal.stdoutIsTerminal) return;
    const footnote = result.footnote?.(fetched);
    if (footnote !== undefined) say({ kind: 'notice', text: footnote });
  };
  if (query !== undefined) return { remarks };
  const { noun = 'rows', limit = Number.POSITIVE_INFINITY } = result;
  const count = Math.min(selection.seen.matched, limit);
  return { remarks, what: `${count} ${count === 1 ? noun.slice(0, -1) : noun}` };
}

/**
 * JMESPath has no error for a misspelt field: the result is null or empty, as if there were no such rows.
 *
 * @throws ProcError `invalid_usage` for a field that no record of the service has
 */
function refuseUnknown(
  query: Query,
  rows: readonly Row[],
  { noun, fields = [], columns }: RowsResult,
): void {
  if (noun === undefined || rows.length === 0) return;
  const names = new Set([...fields, ...columns.map(({ key }) => key)]);
  for (const row of rows) noteNames(row, names);
  const field = [...(query.reads ?? [])].find((name) => !names.has(name));
  if (field === undefined) return;
  const find =
    noun === 'items' ? ` To search in codes and names: proc items list ${inShell(field)}` : '';
  throw new ProcError('invalid_usage', `--query: no row has a field "${field}"`, {
    hint: `${hintFor(field, names)}${find}`,
  });
}

function noteNames(value: unknown, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) names.add(key);
    noteNames(inner, names);
  }
}

async function renderRecord(result: RecordResult, rendering: Rendering): Promise<Rendered> {
  const { plan, say, sink, terminal } = rendering;
  const { fields, query } = plan;
  const { columns = [], value, idField = 'id', labels } = result;
  const picked = fields === undefined ? value : pick(value, fields);
  if (query !== undefined) {
    await writeQueried(query(picked), new Set(), { columns, idField }, rendering);
  } else if (plan.format === 'table' && result.page !== undefined && fields === undefined) {
    const onTerminal = terminal.stdoutIsTerminal && plan.out === undefined;
    const { bold } = paint(terminal.color.stdout && plan.out === undefined);
    const page = await result.page({ width: onTerminal ? terminal.width : undefined, bold });
    await (typeof page === 'string' ? sink.write(page) : writeBlocks(page, rendering));
  } else if (plan.format === 'table') {
    // The row keeps all fields: the currency of an amount may be in a field that --fields does not
    // show.
    const isBrief = result.isBrief === true && fields === undefined;
    const shown = isBrief
      ? pick(
          value,
          columns.map(({ key }) => key),
        )
      : value;
    await writeRecord(
      shown,
      { columns: chosenColumns([shown], columns, fields), idField, labels },
      rendering,
    );
  } else {
    await writeRecord(plan.format === 'id' ? value : picked, { columns, idField }, rendering);
  }
  const remarks = (): void => {
    const asked = (fields ?? []).map((field): [string, { flag: string; found: boolean }] => [
      field,
      { flag: '--fields', found: valueAt(value, field) !== undefined },
    ]);
    reportMissing(new Map(asked), [value], say);
  };
  return { remarks };
}
