import type { IncomingHttpHeaders } from 'node:http';
import { idFieldOf, type RawResponse } from '../core/endpoint.ts';
import { idText, isObject, parseResponse } from '../core/json.ts';
import { isRawNumber } from '../core/numbers.ts';
import type { ErrorBody, Misfit, Outcome } from '../core/outcome.ts';
import type { Problem } from '../core/row-problem.ts';
import { asItIs, type Hide, hiding } from '../core/secret.ts';
import { nodeModule } from '../core/system.ts';
import { type FieldIssue, show } from '../core/validate.ts';
import { differencesIn, differencesText, errorIn, ownRecordIn } from './compare-answer.ts';
import type { PreparedRequest } from './request.ts';

export const MAX_ERROR_BODY = 64 << 10;
const MAX_RECORD = 16 << 20;
const MAX_LIST = 256 << 20;
const LIMITS = { maxOutputLength: 64 << 20 };

/** Larger responses are refused; of errors, the rest is ignored. */
export function mostBytes({ expects: { kind } }: PreparedRequest, status: number): number {
  if (isSuccess(status)) return kind === 'list' ? MAX_LIST : MAX_RECORD;
  return kind === 'raw' ? MAX_RECORD : MAX_ERROR_BODY;
}

export interface ServiceResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * The only place that turns a status into an outcome. Masks the secret, because messages of the service
 * are shown and stored.
 */
export function judge(request: PreparedRequest, response: ServiceResponse, now: number): Outcome {
  const opened = unpacked(response);
  if (opened === undefined)
    return undecodable(response.status, { text: 'the response cannot be decompressed' });
  const outcome = outcomeOf(request, opened, now);
  if (request.expects.kind !== 'raw' || outcome.kind === 'done') return outcome;
  return { ...outcome, response: rawResponse(opened, hiding(request.credential)) };
}

function outcomeOf(request: PreparedRequest, response: ServiceResponse, now: number): Outcome {
  const { status, headers } = response;
  const hide = hiding(request.credential);
  const requestId = shown(headers, 'x-request-id', hide);
  const isWrite = request.method !== 'GET';
  if (isSuccess(status) && (status !== ACCEPTED || !isWrite)) {
    if (request.expects.kind === 'list') {
      const rows = rowsIn(textOf(response.body), hide);
      return 'text' in rows
        ? undecodable(status, rows)
        : { kind: 'done', status, value: rows, requestId };
    }
    return answerOf(request, response, requestId, hide);
  }
  const error = readErrorBody(response.body.toString('utf8', 0, MAX_ERROR_BODY), requestId, hide);
  const retryAfterMs = parseRetryAfter(headerOf(headers, 'retry-after'), now);
  if (status === 429 || (status === 503 && retryAfterMs !== undefined)) {
    return { kind: 'throttled', status, retryAfterMs, error };
  }
  if (UNCLEAR.has(status) || status >= 500 || status < 300 || (status === 303 && isWrite)) {
    return {
      ...{ kind: 'unknown', status, reason: 'failed', error, retryAfterMs },
      problem: answered(status),
    };
  }
  if (!isWrite && status === 404 && isPage(response.body.toString('utf8', 0, MAX_ERROR_BODY))) {
    return undecodable(status, { text: `the response is ${error.message}` });
  }
  if (isWrite && status >= 400) {
    const text = textOf(response.body);
    const idName = idFieldOf({ response: request.expects });
    const id = ownRecordIn(sentIn(request), hide.value(jsonIn(text), text), idName);
    if (id !== undefined) {
      const problem = { text: `the service returned ${status}, but with the record: id ${id}` };
      return { ...UNKNOWN, status, reason: 'contradicts', problem };
    }
  }
  return { kind: 'rejected', status, error, location: shown(headers, 'location', hide) };
}

export function answered(status: number): Problem {
  return { text: `the service returned ${status}` };
}

/** The rows of a list, or why it is none. */
function rowsIn(text: string, hide: Hide): readonly unknown[] | Problem {
  const unreadable = (says: string): Problem => ({ text: says });
  const value = jsonIn(text);
  if (!Array.isArray(value)) {
    return unreadable(
      value === undefined && /^\s*\[/.test(text)
        ? 'the response is truncated, or not valid JSON'
        : `the response is not a JSON array: ${summaryOf(text, hide)}`,
    );
  }
  const odd = value.findIndex((row) => !isObject(row) || isRawNumber(row));
  if (odd >= 0) return unreadable(`row ${odd + 1} of the response is not a JSON object`);
  return hide.value(value, text);
}

/** 202: a write may be done later. */
const ACCEPTED = 202;

/** Timeouts of the service or a gateway, and requests that reached another server: they may have been processed. */
const UNCLEAR: ReadonlySet<number> = new Set([408, 421, 425, 460, 499]);

/** Whether a text is an HTML page, e.g. of a gateway that asks to sign in. The service never sends one. */
function isPage(text: string): boolean {
  return /^\s*</.test(text) && /<(?:!doctype\s+html|html|head|body)\b/i.test(text);
}

/** The outcome of a 2xx response that is not a list. */
function answerOf(
  request: PreparedRequest,
  response: ServiceResponse,
  requestId: string | undefined,
  hide: Hide,
): Outcome {
  const { status } = response;
  const { kind } = request.expects;
  const text = textOf(response.body);
  const contradicts = (problem: Problem, misfit?: Misfit): Outcome => ({
    ...{ ...UNKNOWN, status, reason: 'contradicts', problem, misfit },
  });
  if (isPage(text)) {
    return undecodable(status, { text: `the response is ${summaryOf(text, hide)}` });
  }
  const answer = hide.value(jsonIn(text), text);
  const decoded = () => decodeRecord(answer, text, request, hide);
  const done = (value: unknown, altered = {}): Outcome => ({
    ...{ kind: 'done', status, requestId, ...altered },
    value: kind === 'raw' ? rawResponse(response, hide) : kind === 'none' ? undefined : value,
  });
  if (request.method === 'GET') {
    const record = kind === 'raw' ? { value: undefined } : decoded();
    return 'problem' in record ? { ...UNKNOWN, status, ...record } : done(record.value);
  }
  const error = errorIn(answer);
  if (error !== undefined) {
    return contradicts({ text: `the service returned ${status}, but with an error: ${error}` });
  }
  if (kind === 'none' && answer === undefined && text.trim() !== '') {
    return contradicts({ text: `the response is not JSON: ${summaryOf(text, hide)}` });
  }
  const record = decoded();
  if ('problem' in record) return { ...UNKNOWN, status, ...record };
  const differences = kind === 'none' ? [] : differencesIn(sentIn(request), answer);
  const wrong = differences.filter((one) => one.contradicts);
  if (wrong.length > 0) {
    const named = wrong.map(({ field }) => field);
    const why = `the response contradicts the request: ${differencesText(wrong)}`;
    return contradicts({ text: why, named }, { answer, fields: named });
  }
  const altered = differences.length === 0 ? {} : { altered: differencesText(differences) };
  return done(record.value, altered);
}

/**
 * Decodes a successful response that is not a list. Checks its id, because a gateway may answer 200 with
 * an error of its own.
 *
 * @param text the whole response, for messages
 */
function decodeRecord(
  answer: unknown,
  text: string,
  { expects, method, subject }: PreparedRequest,
  hide: Hide,
): { readonly value: unknown } | Pick<Unknown, 'reason' | 'problem'> {
  const value = isObject(answer) ? answer : undefined;
  const wrong = (reason: 'undecodable' | 'no-id', says: string) => ({
    reason,
    problem: { text: `the response ${says}: ${summaryOf(text, hide)}` },
  });
  if ('created' in expects && expects.created !== undefined) {
    const name = expects.created;
    const id = value?.[name];
    if (idText(id) !== undefined) return { value };
    const has = value !== undefined && Object.hasOwn(value, name);
    return wrong('no-id', has ? `has an ${name} that is ${show(id)}` : `has no ${name}`);
  }
  const names = 'identifiedBy' in expects ? expects.identifiedBy : undefined;
  if (method !== 'GET' && (names === undefined || text.trim() === '')) return { value };
  if (value === undefined) return wrong('undecodable', 'is not a JSON object');
  // Some services change the case of ids.
  const isNamed = (name: string) => idText(value[name])?.toLowerCase() === subject?.toLowerCase();
  if (names === undefined || names.some(isNamed)) return { value };
  return wrong('no-id', `is not the record ${JSON.stringify(subject ?? '')}`);
}

/** The content of a raw response: its JSON, or its text. Undefined if it is empty. */
export function rawContent({ bytes }: RawResponse): unknown {
  const text = textOf(Buffer.from(bytes));
  const value = jsonIn(text);
  return value === undefined && text !== '' ? text : value;
}

/** Without the byte order mark that some services send. */
function textOf(body: Buffer): string {
  const text = body.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function jsonIn(text: string): unknown {
  try {
    return parseBody(text);
  } catch {
    return undefined;
  }
}

/** The body of a request, if it is JSON. */
function sentIn({ body }: PreparedRequest): unknown {
  return typeof body === 'string' ? jsonIn(body) : undefined;
}

type Unknown = Extract<Outcome, { kind: 'unknown' }>;

const UNKNOWN = { kind: 'unknown', error: undefined } as const;

function undecodable(status: number, problem: Problem): Outcome {
  return { ...UNKNOWN, status, reason: 'undecodable', problem };
}

function shown(headers: IncomingHttpHeaders, name: string, hide: Hide): string | undefined {
  const value = headerOf(headers, name);
  return value === undefined ? undefined : hide(value);
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function rawResponse({ status, headers, body }: ServiceResponse, hide: Hide): RawResponse {
  // latin1 keeps every byte as it is.
  return {
    status,
    headers: hide.value(headers),
    bytes: Buffer.from(hide(body.toString('latin1')), 'latin1'),
  };
}

function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

/**
 * Some gateways compress although proc does not ask for it.
 *
 * @returns undefined if it cannot be decompressed, or is too large
 */
function unpacked(response: ServiceResponse): ServiceResponse | undefined {
  const { 'content-encoding': encoding = '', 'content-length': _, ...headers } = response.headers;
  if (encoding === '' || encoding === 'identity') return response;
  try {
    const { unzipSync } = nodeModule('node:zlib');
    return { ...response, headers, body: unzipSync(response.body, LIMITS) };
  } catch {
    // Errors may say that they are compressed and not be.
    return isSuccess(response.status) ? undefined : response;
  }
}

/**
 * Parses Retry-After (seconds or an HTTP date) to milliseconds from now.
 *
 * @returns undefined if the header is absent or not usable (negative, garbage)
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // Only dates have letters; Date.parse would read "-5" as a year.
  if (!/[a-z]/i.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

const words = (text: string): readonly string[] => text.split(' ');
const MESSAGE_KEYS = words('detail message error_description error title reason msg description');
const LIST_KEYS = words(
  'errors issues details violations invalid-params invalidParams message error',
);
const FIELD_KEYS = words('field path property name pointer param loc instancePath');

/** JSON with so many ends in a row is nested so deep that the stack would overflow where it is compared or shown. */
const TOO_DEEP = /(?:[}\]]\s*){1000}/;

/** Parses a response. Throws if it is no JSON, or nested too deep. */
function parseBody(text: string): unknown {
  if (TOO_DEEP.test(text)) throw new SyntaxError('nested too deep');
  return parseResponse(text);
}

function summaryOf(text: string, hide: Hide): string {
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
