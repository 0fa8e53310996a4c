import { type CertificateFiles, curlLine } from '../../client/curl.ts';
import { CREDENTIAL_HEADER, type PreparedRequest, urlOf } from '../../client/request.ts';
import type { Column, RecordResult, ShownRequest } from '../../core/result.ts';
import { textOrBase64 } from '../../core/text/bytes.ts';
import { parseResponse } from '../../core/text/strict-json.ts';
import { inShell } from '../../core/text/typed.ts';

/** Each stands for a record that was not looked up: `<item AR-5381>`. */
export type Placeholders = Set<string>;

/** For a table after a review, which has already shown the body. */
const WITHOUT_BODY: readonly Column[] = [
  { key: 'dryRun', header: 'dry run' },
  { key: 'method', header: 'method' },
  { key: 'url', header: 'url' },
];

export function dryRun(
  request: PreparedRequest,
  isReviewed = false,
  placeholders: Iterable<string> = [],
): RecordResult {
  const headers: Record<string, string> = { ...request.headers };
  const scheme = request.credential?.scheme ?? 'api-key';
  headers[CREDENTIAL_HEADER[scheme]] = scheme === 'bearer' ? 'Bearer ***' : '***';
  return {
    kind: 'record',
    ...(isReviewed ? { columns: WITHOUT_BODY, isBrief: true } : {}),
    value: {
      dryRun: true,
      method: request.method,
      url: readable(urlOf(request), placeholders),
      headers,
      body: request.body === undefined ? null : bodyOf(request.body),
    },
  };
}

/** `proc api` may send a body that is not JSON. */
function bodyOf(body: string | Uint8Array): unknown {
  if (typeof body !== 'string') return textOrBase64(body);
  try {
    return parseResponse(body);
  } catch {
    return body;
  }
}

/**
 * The output of `--curl`. With a placeholder in the request, the printed command sends nothing and
 * shows a message.
 */
export function curl(
  request: PreparedRequest,
  files: CertificateFiles = {},
  placeholders: Iterable<string> = [],
): ShownRequest {
  const scheme = request.credential?.scheme ?? 'api-key';
  const line = readable(curlLine(request, scheme, files), placeholders);
  const open = [...placeholders].filter((one) => line.includes(one));
  if (open.length === 0) return { kind: 'text', text: line };
  const message = inShell(`not sent: replace ${open.join(', ')} first`);
  return { kind: 'text', text: `{ echo ${message} >&2; false; } && ${line}` };
}

/** Undoes the percent-encoding of placeholders in a URL. */
function readable(text: string, placeholders: Iterable<string>): string {
  let shown = text;
  for (const one of placeholders) shown = shown.replaceAll(encodeURIComponent(one), one);
  return shown;
}
