import { messageOf, ProcError } from '../core/errors.ts';
import { paint } from '../terminal/paint.ts';
import { visible, visibleLines } from '../terminal/sanitise.ts';
import { wrapText } from '../terminal/wrap-words.ts';
import { jsonLine } from './format/write-json.ts';

export interface ErrorOptions {
  /** Scripts read stderr: one JSON line (`errorsAsJson`). */
  readonly json: boolean;
  readonly color: boolean;
  /** Columns of a terminal, at whose words the text is cut; undefined: as it is. */
  readonly width?: number | undefined;
  /** `PROC_DEBUG=1`: the stack trace too. */
  readonly trace?: boolean;
}

/** Lines of details at most; a script finds all of them in the JSON form. */
const MOST_LINES = 20;

/**
 * An error for stderr, with its last line ended. As text: what happened, the
 * details, the next step. As JSON: `{"error":{"code","message","hint","status","requestId",
 * "exitCode","details"}}` on one line, absent keys left out.
 *
 * Anything else than a ProcError is a bug in proc and said to be one.
 */
export function renderError(
  thrown: unknown,
  { json, color, width, trace = false }: ErrorOptions,
): string {
  const error = thrown instanceof ProcError ? thrown : bug(thrown);
  return json ? asJson(error, trace) : asText(error, color, width, trace);
}

function bug(thrown: unknown): ProcError {
  return new ProcError('bug', `This is a bug in proc: ${messageOf(thrown)}`, {
    hint: 'Run the command again with PROC_DEBUG=1 and report what it prints',
    cause: thrown,
  });
}

function asJson(error: ProcError, trace: boolean): string {
  return jsonLine({
    error: {
      code: error.code,
      message: error.message,
      hint: error.hint,
      status: error.status,
      requestId: error.requestId,
      exitCode: error.exitCode,
      details: error.details,
      ...(trace ? { stack: stackOf(error) } : {}),
    },
  });
}

function asText(
  error: ProcError,
  color: boolean,
  width: number | undefined,
  trace: boolean,
): string {
  const fitted = (text: string, taken: number) =>
    indented(width === undefined ? text : wrapText(text, width - 2, taken));
  const { bold, cyan, dim, red } = paint(color);
  const lines = [`${bold(red('error:'))} ${fitted(visibleLines(error.message), 'error: '.length)}`];
  for (const detail of detailLines(error)) lines.push(`  ${detail}`);
  if (error.hint !== undefined)
    lines.push(`${cyan('hint:')} ${fitted(visibleLines(error.hint), 'hint: '.length)}`);
  if (error.requestId !== undefined) lines.push(dim(`request id: ${visible(error.requestId)}`));
  if (trace) lines.push(visibleLines(stackOf(error)));
  return `${lines.join('\n')}\n`;
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

/** The lists that people need to see: `issues` (fields that are wrong) and `candidates`. */
function detailLines({ details, message }: ProcError): string[] {
  if (typeof details !== 'object' || details === null) return [];
  const { issues, candidates } = details as { issues?: unknown; candidates?: unknown };
  const lines = [issues, candidates]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map((entry) => visible(entryText(entry)))
    // One issue is often the message itself.
    .filter((line) => line !== '' && !visible(message).includes(line));
  if (lines.length <= MOST_LINES) return lines;
  return [...lines.slice(0, MOST_LINES), `… and ${lines.length - MOST_LINES} more`];
}

/** An issue `{field, message, place?}`, where `place` is the whole line; or any candidate. */
function entryText(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return String(entry);
  const { field, place, message, ...others } = entry as Record<string, unknown>;
  if (typeof place === 'string') return place;
  if (typeof message === 'string') {
    return typeof field === 'string' && field !== '' ? `${field}: ${message}` : message;
  }
  return Object.values(others)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join('  ');
}

function stackOf(error: ProcError): string {
  const cause = error.cause instanceof Error ? `\ncaused by: ${error.cause.stack}` : '';
  return `${error.stack}${cause}`;
}
