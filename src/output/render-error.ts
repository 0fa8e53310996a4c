import { messageOf, ProcError } from '../core/errors.ts';
import { visible, visibleLines } from '../terminal/sanitise.ts';
import { paint } from '../terminal/terminal.ts';
import { jsonLine } from './format.ts';

export interface ErrorOptions {
  readonly json: boolean;
  readonly color: boolean;
  /** `PROC_DEBUG=1`: print the stack trace too. */
  readonly trace?: boolean;
  /** ` -p acme`: the flags of the target, as they were typed. */
  readonly target?: string;
}

/** Maximum number of detail lines. The JSON form has all of them. */
const MOST_LINES = 20;

/**
 * The text ends with a line break. Anything other than a ProcError is reported as a bug in proc.
 */
export function renderError(
  thrown: unknown,
  { json, color, trace = false, target = '' }: ErrorOptions,
): string {
  const error = thrown instanceof ProcError ? thrown : bug(thrown);
  const hint = error.hint?.replace(ABOUT_TARGET, `proc${target} `);
  return json ? asJson(error, hint, trace) : asText(error, hint, color, trace);
}

/** Commands that a hint names. Without the flags of the target, they would be about another one. */
const ABOUT_TARGET =
  /\bproc (?=(requisition|orders|items|imputations|sectors|addresses|imports|history|auth|doctor|api|profile show)\b(?!.* (-p|-e|--profile|--env) ))/g;

function bug(thrown: unknown): ProcError {
  return new ProcError('bug', `this is a bug in proc: ${messageOf(thrown)}`, {
    hint: 'Run the command again with PROC_DEBUG=1 and send its output to whoever gave you proc',
    cause: thrown,
  });
}

function asJson(error: ProcError, hint: string | undefined, trace: boolean): string {
  return jsonLine({
    error: {
      code: error.code,
      message: error.message,
      hint,
      status: error.status,
      requestId: error.requestId,
      exitCode: error.exitCode,
      retry: error.retry,
      details: error.details,
      ...(trace ? { stack: stackOf(error) } : {}),
    },
  });
}

function asText(
  error: ProcError,
  hint: string | undefined,
  color: boolean,
  trace: boolean,
): string {
  const { message } = error;
  const indented = (text: string) => visibleLines(text).replaceAll('\n', '\n  ');
  // A person who answered "no" needs no error.
  if (error.code === 'declined') return `${indented(message)}\n`;
  const { bold, cyan, dim, red } = paint(color);
  const labelled = (label: string, text: string, tone: (label: string) => string) =>
    `${tone(`${label}:`)} ${indented(text)}`;
  const lines = [labelled('error', message, (label) => bold(red(label)))];
  for (const detail of detailLines(error)) lines.push(`  ${detail}`);
  if (hint !== undefined) lines.push(labelled('hint', hint, cyan));
  if (error.requestId !== undefined) lines.push(dim(`request id: ${visible(error.requestId)}`));
  if (trace) lines.push(visibleLines(stackOf(error)));
  return `${lines.join('\n')}\n`;
}

function detailLines({ details, message }: ProcError): string[] {
  if (typeof details !== 'object' || details === null) return [];
  const { issues, candidates } = details as { issues?: unknown; candidates?: unknown };
  const lines = [issues, candidates]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map((entry) => visible(entryText(entry)))
    // A single issue often repeats the message.
    .filter((line) => line !== '' && !visible(message).includes(line));
  if (lines.length <= MOST_LINES) return lines;
  return [...lines.slice(0, MOST_LINES), `… and ${lines.length - MOST_LINES} more`];
}

/** One line for a candidate or an issue. If an issue has a `place`, that text is the whole line. */
function entryText(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return String(entry);
  // The hint has the references of candidates.
  const { field, place, message, reference: _, ...others } = entry as Record<string, unknown>;
  if (typeof place === 'string') return place;
  if (typeof message === 'string') {
    return typeof field === 'string' && field !== '' ? `${field}: ${message}` : message;
  }
  return Object.values(others)
    .filter((value) => value !== undefined && value !== null)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join('  ');
}

function stackOf(error: ProcError): string {
  const cause = error.cause instanceof Error ? `\ncaused by: ${error.cause.stack}` : '';
  return `${error.stack}${cause}`;
}
