import * as z from 'zod/mini';
import { type AnyInput, type EndpointSpec, type Method, nounOf } from '../core/endpoint.ts';
import { ProcError } from '../core/errors.ts';
import type { WriteIntent } from '../core/ports.ts';
import type { Dialect } from '../core/service-target.ts';
import { textOrBase64 } from '../core/text/bytes.ts';
import { readJson } from '../core/text/strict-json.ts';
import { MAX_PAGE } from '../listing/list-reader.ts';
import { ENDPOINTS } from '../nouns/endpoints.ts';
import type { Fields } from './fields.ts';

export interface RawRequest {
  readonly method: Method;
  /** The result of {@link rawPath}. */
  readonly path: string;
  readonly fields: Fields;
  /** The body of `--input`: text if its content type is JSON, otherwise bytes. */
  readonly whole: string | Uint8Array | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** A temporary endpoint, so that confirmation, retry and history work as for any other request. */
export function rawCall(request: RawRequest): { spec: EndpointSpec; input: AnyInput } {
  const { method, fields, whole, headers } = request;
  const isRead = method === 'GET';
  const path = isRead ? withQuery(request.path, fields) : request.path;
  const known = knownEndpoint(method, path);
  const created =
    known !== undefined && 'created' in known.response ? known.response.created : undefined;
  const body = isRead
    ? undefined
    : whole !== undefined
      ? meaningOf(whole)
      : fields.size > 0
        ? Object.fromEntries(fields)
        : undefined;
  return {
    spec: {
      id: known?.id ?? `${nounIn(path)}.raw`,
      method,
      path,
      params: {},
      response: { kind: 'raw', ...(created === undefined ? {} : { created }) },
      doc: { summary: 'A raw call.', source: '§4' },
    },
    input: {
      headers,
      ...(body === undefined ? {} : { body }),
      ...(whole === undefined ? {} : { rawBody: whole }),
    },
  };
}

/**
 * `isPaged` is false if the contract or the dialect has no paging parameters for the list.
 *
 * @throws ProcError `invalid_usage` if the query contains the offset or page, or an invalid page size
 */
export function rawList(
  request: RawRequest,
  dialect: (noun: string) => Dialect,
): { spec: EndpointSpec; limit: number | undefined; isPaged: boolean } {
  const asked = withQuery(request.path, request.fields);
  const [path = '', search = ''] = asked.split('?');
  const known = knownEndpoint('GET', path);
  if (known?.response.kind === 'list' && known.query === undefined) {
    return { spec: listAt(asked), limit: undefined, isPaged: false };
  }
  const words = dialect(nounIn(path));
  if (words.paging === 'none') return { spec: listAt(asked), limit: undefined, isPaged: false };
  const query = new URLSearchParams(search);
  const position = words.page ?? words.offset;
  if (query.has(position)) {
    throw new ProcError('invalid_usage', `--paginate sets "${position}" itself`, {
      hint: `Remove "${position}" or --paginate`,
    });
  }
  const limit = pageSize(query.get(words.limit), words.limit);
  query.delete(words.limit);
  const rest = query.size === 0 ? '' : `?${query}`;
  return { spec: listAt(path + rest), limit, isPaged: true };
}

function listAt(path: string): EndpointSpec {
  return {
    id: `${nounIn(path)}.raw`,
    method: 'GET',
    path,
    params: {},
    response: { kind: 'list', schema: z.looseObject({}) },
    doc: { summary: 'A raw list.', source: '§4' },
  };
}

export function rawIntent(spec: EndpointSpec): WriteIntent {
  const what = `${spec.method} ${spec.path}`;
  if (spec.method === 'DELETE') {
    // Only groups and lines of a requisition can be created again after a delete.
    return { what, weight: 'delete', irreversible: nounOf(spec) !== 'requisitions' };
  }
  return { what, weight: spec.method === 'POST' ? 'create' : 'patch' };
}

function withQuery(path: string, fields: Fields): string {
  if (fields.size === 0) return path;
  const pairs = [...fields].map(
    ([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`,
  );
  return `${path}${path.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

function knownEndpoint(method: Method, path: string): EndpointSpec | undefined {
  const [plain = ''] = path.split('?');
  return ENDPOINTS.find((spec) => {
    const pattern = spec.path.replace(/\{\w+\}/g, '[^/]+');
    return spec.method === method && new RegExp(`^${pattern}$`).test(plain);
  });
}

function nounIn(path: string): string {
  return /^\/([^/?.]+)/.exec(path)?.[1] ?? 'root';
}

/** The value of a body, for history: JSON if the body is valid JSON, otherwise text or base64. */
function meaningOf(text: string | Uint8Array): unknown {
  if (typeof text !== 'string') return textOrBase64(text);
  try {
    return readJson(text);
  } catch {
    return text;
  }
}

function pageSize(text: string | null, name: string): number | undefined {
  if (text === null) return undefined;
  const size = Number(text);
  if (/^\d+$/.test(text) && size >= 1 && size <= MAX_PAGE) return size;
  throw new ProcError(
    'invalid_usage',
    `${name}=${text}: with --paginate expected 1 to ${MAX_PAGE}`,
  );
}
