import type { IncomingHttpHeaders } from 'node:http';
import type { RawResponse } from '../../core/endpoint.ts';
import type { Row } from '../../core/result.ts';
import type { Hide } from '../../core/service/hiding.ts';
import type { Outcome } from '../../core/service/outcome.ts';
import { hiding } from '../../core/service/secret.ts';
import type { PreparedRequest } from '../request.ts';
import { decodeRecord } from './decode.ts';
import { readErrorBody } from './error-body.ts';
import { parseRetryAfter } from './retry-after.ts';

export const MAX_ERROR_BODY = 64 << 10;

export interface ServiceResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The rows, if the response is a list; `body` is then empty. */
  readonly rows: Row[] | undefined;
}

/**
 * The only place that turns a status into an outcome. Masks the secret, because messages of the service
 * are shown and stored.
 */
export function judge(request: PreparedRequest, response: ServiceResponse, now: number): Outcome {
  const outcome = outcomeOf(request, response, now);
  if (request.expects.kind !== 'raw' || outcome.kind === 'done') return outcome;
  return { ...outcome, response: rawResponse(response, hiding(request.credential)) };
}

function outcomeOf(request: PreparedRequest, response: ServiceResponse, now: number): Outcome {
  const { status, headers } = response;
  const hide = hiding(request.credential);
  const requestId = shown(headers, 'x-request-id', hide);
  if (isSuccess(status)) {
    if (request.expects.kind === 'raw' && request.expects.created === undefined) {
      return { kind: 'done', status, value: rawResponse(response, hide), requestId };
    }
    if (isEncoded(headers)) {
      return undecodable(
        status,
        `the response has the encoding ${shown(headers, 'content-encoding', hide)}, which proc did not request`,
      );
    }
    if (response.rows !== undefined)
      return { kind: 'done', status, value: response.rows, requestId };
    const decoded = decodeRecord(response.body, request, hide);
    return 'value' in decoded
      ? {
          kind: 'done',
          status,
          value: request.expects.kind === 'raw' ? rawResponse(response, hide) : decoded.value,
          requestId,
        }
      : {
          kind: 'unknown',
          status,
          reason: decoded.reason,
          detail: decoded.detail,
          error: undefined,
        };
  }
  const error = readErrorBody(response.body.toString('utf8', 0, MAX_ERROR_BODY), requestId, hide);
  const retryAfterMs = parseRetryAfter(headerOf(headers, 'retry-after'), now);
  if (status === 429 || (status === 503 && retryAfterMs !== undefined)) {
    return { kind: 'throttled', status, retryAfterMs, error };
  }
  const isWrite = request.method !== 'GET';
  if (status === 408 || status >= 500 || status < 300 || (status === 303 && isWrite)) {
    return {
      kind: 'unknown',
      status,
      reason: 'failed',
      detail: `the service answered ${status}`,
      error,
      retryAfterMs,
    };
  }
  return { kind: 'rejected', status, error, location: shown(headers, 'location', hide) };
}

function undecodable(status: number, detail: string): Outcome {
  return { kind: 'unknown', status, reason: 'undecodable', detail, error: undefined };
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

export function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

export function isEncoded(headers: IncomingHttpHeaders): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding !== '' && encoding !== 'identity';
}
