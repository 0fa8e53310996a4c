import type { IncomingHttpHeaders } from 'node:http';
import type { RawResponse } from '../core/endpoint.ts';
import { messageOf } from '../core/errors.ts';
import { isObject } from '../core/is-object.ts';
import type { Problem } from '../core/problem/row-problem.ts';
import { nodeModule } from '../core/process/node-module.ts';
import type { Hide } from '../core/service/hiding.ts';
import type { Misfit, Outcome } from '../core/service/outcome.ts';
import { hiding } from '../core/service/secret.ts';
import { isRawNumber } from '../core/text/raw-number.ts';
import { parseResponse } from '../core/text/strict-json.ts';
import {
  differencesIn,
  differencesText,
  errorIn,
  ownRecordIn,
  shownDifferences,
} from './compare-answer.ts';
import { decodeRecord, textOf } from './decode.ts';
import { readErrorBody, summaryOf } from './error-body.ts';
import type { PreparedRequest } from './request.ts';

export const MAX_ERROR_BODY = 64 << 10;
const MAX_RECORD = 16 << 20;
const MAX_LIST = 256 << 20;
/** The most bytes of a list that was compressed. */
const MAX_UNPACKED = 64 << 20;

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
  const opened = isEncoded(response.headers) ? decompressed(request, response) : response;
  if ('code' in opened) return undecodable(response.status, opened);
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
      return 'code' in rows
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
      kind: 'unknown',
      status,
      reason: 'failed',
      problem: { code: 'answered', args: { status } },
      error,
      retryAfterMs,
    };
  }
  if (!isWrite && status === 404 && isPage(response.body.toString('utf8', 0, MAX_ERROR_BODY))) {
    return undecodable(status, { code: 'response_page', args: { text: error.message ?? '' } });
  }
  if (isWrite && status >= 400) {
    const { expects } = request;
    const text = textOf(response.body);
    const idName = ('created' in expects ? expects.created : undefined) ?? 'id';
    const id = ownRecordIn(sentIn(request), hide.value(jsonIn(text), text), idName);
    if (id !== undefined) {
      const problem = { code: 'refused_with_record', args: { status, id } } as const;
      return { kind: 'unknown', status, reason: 'contradicts', problem, error: undefined };
    }
  }
  return { kind: 'rejected', status, error, location: shown(headers, 'location', hide) };
}

/** The rows of a list, or why it is none. */
function rowsIn(text: string, hide: Hide): readonly unknown[] | Problem {
  const unreadable = (says: string): Problem => ({ code: 'response_unreadable', args: { says } });
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

/** 207: some of several results may be errors. */
const MULTI = 207;

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
  const { status, headers } = response;
  const isRaw = request.expects.kind === 'raw';
  const text = textOf(response.body);
  const unknown = (
    reason: 'undecodable' | 'no-id' | 'contradicts',
    problem: Problem,
    misfit?: Misfit,
  ): Extract<Outcome, { kind: 'unknown' }> => ({
    kind: 'unknown',
    status,
    reason,
    problem,
    error: undefined,
    misfit,
  });
  if (isPage(text)) {
    const page = { code: 'response_page', args: { text: summaryOf(text, hide) } } as const;
    if (request.method === 'GET') return unknown('undecodable', page);
    return { ...unknown('contradicts', page), isPage: true };
  }
  const answer = hide.value(jsonIn(text), text);
  if (request.method === 'GET') {
    if (isRaw) return { kind: 'done', status, value: rawResponse(response, hide), requestId };
    const decoded = decodeRecord(answer, text, request, hide);
    return 'value' in decoded
      ? { kind: 'done', status, value: decoded.value, requestId }
      : unknown(decoded.reason, decoded.problem);
  }
  const sent = sentIn(request);
  const isProblem = /\bproblem\+json\b/i.test(String(headerOf(headers, 'content-type')));
  const error = isProblem || status === MULTI ? summaryOf(text, hide) : errorIn(answer, sent);
  if (error !== undefined) {
    const args = { status, text: error };
    return unknown('contradicts', { code: 'response_with_error', args });
  }
  if (request.expects.kind === 'none' && answer === undefined && text.trim() !== '') {
    const args = { text: summaryOf(text, hide) };
    return unknown('contradicts', { code: 'response_not_json', args });
  }
  const decoded = decodeRecord(answer, text, request, hide);
  if ('reason' in decoded) return unknown(decoded.reason, decoded.problem);
  const differences = request.expects.kind === 'none' ? [] : differencesIn(sent, answer);
  const wrong = differences.filter(({ contradicts }) => contradicts);
  if (wrong.length > 0) {
    const problem = {
      code: 'response_misfit',
      args: { differences: shownDifferences(wrong) },
    } as const;
    return unknown('contradicts', problem, { answer, fields: wrong.map(({ field }) => field) });
  }
  const value = isRaw
    ? rawResponse(response, hide)
    : request.expects.kind === 'none'
      ? undefined
      : decoded.value;
  const altered = differences.length === 0 ? {} : { altered: differencesText(differences) };
  return { kind: 'done', status, value, requestId, ...altered };
}

function jsonIn(text: string): unknown {
  try {
    return parseResponse(text);
  } catch {
    return undefined;
  }
}

/** The body of a request, if it is JSON. */
function sentIn({ body }: PreparedRequest): unknown {
  return typeof body === 'string' ? jsonIn(body) : undefined;
}

function undecodable(status: number, problem: Problem): Outcome {
  return { kind: 'unknown', status, reason: 'undecodable', problem, error: undefined };
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

function isEncoded(headers: IncomingHttpHeaders): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding !== '' && encoding !== 'identity';
}

/**
 * The response without its encoding: some gateways compress although proc does not ask for it.
 *
 * @returns the problem if it cannot be decompressed, or is too large
 */
function decompressed(
  { expects, credential }: PreparedRequest,
  response: ServiceResponse,
): ServiceResponse | Problem {
  const { status } = response;
  const isList = expects.kind === 'list' && isSuccess(status);
  const encoding = shown(response.headers, 'content-encoding', hiding(credential)) ?? '';
  const zlib = nodeModule('node:zlib');
  const limits = { maxOutputLength: isList ? MAX_UNPACKED : MAX_RECORD };
  // A cut error body is still worth reading.
  const zipped = isSuccess(status)
    ? limits
    : { ...limits, finishFlush: zlib.constants.Z_SYNC_FLUSH };
  const { 'content-encoding': _, 'content-length': __, ...headers } = response.headers;
  const { body } = response;
  try {
    switch (encoding.toLowerCase()) {
      case 'gzip':
      case 'deflate':
        return { ...response, headers, body: zlib.unzipSync(body, zipped) };
      case 'br':
        return { ...response, headers, body: zlib.brotliDecompressSync(body, limits) };
      default:
        return { code: 'response_encoded', args: { encoding } };
    }
  } catch (thrown) {
    if (!isSuccess(status)) return response;
    return (thrown as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'
      ? { code: 'response_too_large', args: { mebibytes: limits.maxOutputLength >> 20 } }
      : { code: 'response_damaged', args: { encoding, cause: messageOf(thrown) } };
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
