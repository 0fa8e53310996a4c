import { isObject } from '../core/is-object.ts';
import { asItIs, type Hide } from '../core/service/hiding.ts';
import type { ErrorBody } from '../core/service/outcome.ts';
import { parseResponse } from '../core/text/strict-json.ts';
import type { FieldIssue } from '../core/validate.ts';

const words = (text: string): readonly string[] => text.split(' ');
const MESSAGE_KEYS = words('detail message error_description error title reason msg description');
const LIST_KEYS = words(
  'errors issues details violations invalid-params invalidParams message error',
);
const FIELD_KEYS = words('field path property name pointer param loc instancePath');

/** JSON with so many ends in a row is nested so deep that the stack would overflow where it is compared or shown. */
const TOO_DEEP = /(?:[}\]]\s*){1000}/;

/** Parses a response. Throws if it is no JSON, or nested too deep. */
export function parseBody(text: string): unknown {
  if (TOO_DEEP.test(text)) throw new SyntaxError('nested too deep');
  return parseResponse(text);
}

export function summaryOf(text: string, hide: Hide): string {
  return readErrorBody(text, undefined, hide).message ?? 'it is empty';
}

/**
 * Reads an error body: RFC 9457, `{message}`, `{error}`, `{errors:[…]}`, arrays, text, HTML, empty.
 *
 * @param hide masks the secret before any text is shortened
 */
export function readErrorBody(
  text: string,
  requestId: string | undefined,
  hide: Hide = asItIs,
): ErrorBody {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  if (trimmed === '') return { message: undefined, issues: [], requestId };
  let parsed: unknown;
  try {
    parsed = hide.value(parseBody(trimmed), trimmed);
  } catch {
    const hidden = hide(trimmed);
    const message = shorten(/<[a-z!/]/i.test(hidden) ? htmlText(hidden) : hidden);
    return { message, issues: [], requestId };
  }
  const issues = issuesIn(parsed).slice(0, 50);
  const lines = issues.map(({ field, message }) =>
    field === '' ? message : `${field}: ${message}`,
  );
  const message = messageIn(parsed) ?? (lines.join('; ') || JSON.stringify(parsed));
  return { message: shorten(message), issues, requestId };
}

function messageIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (!isObject(value) || depth > 3) return undefined;
  for (const key of MESSAGE_KEYS) {
    const found = messageIn(value[key], depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function issuesIn(value: unknown, depth = 0): FieldIssue[] {
  if (Array.isArray(value)) return value.flatMap(issueOf);
  if (!isObject(value) || depth > 3) return [];
  for (const key of LIST_KEYS) {
    const found = value[key];
    if (Array.isArray(found) && found.length > 0) return found.flatMap(issueOf);
    // Rails, Laravel: {"errors": {"title": ["is required"]}}
    if (key === 'errors' && isObject(found)) {
      return Object.entries(found).flatMap(([field, says]) =>
        [says].flat().map((one) => ({ field, message: messageIn(one) ?? JSON.stringify(one) })),
      );
    }
  }
  return issuesIn(value.error, depth + 1);
}

function issueOf(entry: unknown): FieldIssue[] {
  if (typeof entry === 'string') return [{ field: '', message: entry }];
  if (typeof entry !== 'object' || entry === null) return [];
  const record = entry as Record<string, unknown>;
  const place = FIELD_KEYS.map((key) => record[key]).find((found) => (found ?? '') !== '');
  const field = Array.isArray(place) ? place.join('.') : typeof place === 'string' ? place : '';
  return [{ field, message: messageIn(record) ?? JSON.stringify(entry) }];
}

function htmlText(html: string): string {
  const [, , said] = /<(title|h1)[^>]*>\s*([^<]*\S)\s*<\//i.exec(html) ?? [];
  return said === undefined ? 'an HTML page' : `an HTML page: ${said}`;
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 500 ? `${line.slice(0, 499)}…` : line;
}
