import { curlLine } from '../client/curl.ts';
import { credentialHeader, type PreparedRequest, urlOf } from '../client/request.ts';
import { textOrBase64 } from '../core/bytes.ts';
import { parseAnswer } from '../core/json.ts';
import type { Column, Result } from '../core/result.ts';

/** Of a body that was just reviewed, a table repeats nothing. */
const WITHOUT_BODY: readonly Column[] = [
  { key: 'dryRun', header: 'DRY RUN' },
  { key: 'method', header: 'METHOD' },
  { key: 'url', header: 'URL' },
];

/** What `--dry-run` shows: method, URL, headers and body to the letter, but for the secret. */
export function dryRun(request: PreparedRequest, isReviewed = false): Result {
  const headers: Record<string, string> = { ...request.headers };
  const [name] = credentialHeader(request.credential ?? { scheme: 'api-key', secret: '' });
  headers[name] = request.credential?.scheme === 'bearer' ? 'Bearer ***' : '***';
  return {
    kind: 'record',
    ...(isReviewed ? { columns: WITHOUT_BODY, isBrief: true } : {}),
    value: {
      dryRun: true,
      method: request.method,
      url: urlOf(request),
      headers,
      body: request.body === undefined ? null : bodyOf(request.body),
    },
  };
}

/** The text itself where it is no JSON, as a raw call may send. */
function bodyOf(body: string | Uint8Array): unknown {
  if (typeof body !== 'string') return textOrBase64(body);
  try {
    return parseAnswer(body);
  } catch {
    return body;
  }
}

/** What `--curl` prints. */
export function curl(request: PreparedRequest): Result {
  return { kind: 'text', text: curlLine(request, request.credential?.scheme ?? 'api-key') };
}
