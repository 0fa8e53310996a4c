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
    const hidden = hide.cut(trimmed);
    return {
      message: shorten(/<[a-z!/]/i.test(hidden) ? htmlText(hidden) : hidden),
      issues: [],
      requestId,
    };
  }
  const issues = issuesIn(parsed, 0).slice(0, 50);
  const message =
    messageIn(parsed, 0) ??
    (issues.length > 0 ? issues.map(issueLine).join('; ') : JSON.stringify(parsed));
  return { message: shorten(message), issues, requestId };
}

function issueLine(issue: FieldIssue): string {
  return issue.field === '' ? issue.message : `${issue.field}: ${issue.message}`;
}

function messageIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > 3)
    return undefined;
  const record = value as Record<string, unknown>;
  for (const key of MESSAGE_KEYS) {
    const found = messageIn(record[key], depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function issuesIn(value: unknown, depth: number): FieldIssue[] {
  if (depth > 3) return [];
  if (Array.isArray(value)) return value.flatMap((entry) => issueOf(entry));
  if (typeof value !== 'object' || value === null) return [];
  const record = value as Record<string, unknown>;
  for (const key of LIST_KEYS) {
    const found = record[key];
    if (Array.isArray(found) && found.length > 0) return found.flatMap((entry) => issueOf(entry));
    // Rails, Laravel: {"errors": {"title": ["is required"]}}
    if (key === 'errors' && typeof found === 'object' && found !== null) {
      return Object.entries(found).flatMap(([field, says]) =>
        (Array.isArray(says) ? says : [says]).map((one) => ({
          field,
          message: messageIn(one, 0) ?? JSON.stringify(one),
        })),
      );
    }
  }
  return issuesIn(record.error, depth + 1);
}

function issueOf(entry: unknown): FieldIssue[] {
  if (typeof entry === 'string') return [{ field: '', message: entry }];
  if (typeof entry !== 'object' || entry === null) return [];
  const record = entry as Record<string, unknown>;
  const place = FIELD_KEYS.map((key) => record[key]).find(
    (found) => found !== undefined && found !== null,
  );
  const field = Array.isArray(place) ? place.join('.') : typeof place === 'string' ? place : '';
  const message = messageIn(record, 0) ?? JSON.stringify(entry);
  return [{ field, message }];
}

function htmlText(html: string): string {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(html)?.[1]?.trim();
  const heading = /<h1[^>]*>([^<]*)<\/h1>/i.exec(html)?.[1]?.trim();
  const said = [title, heading === title ? undefined : heading].filter(
    (part) => part !== undefined && part !== '',
  );
  return said.length > 0 ? `an HTML page: ${said.join(': ')}` : 'an HTML page';
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 500 ? `${line.slice(0, 499)}…` : line;
}
