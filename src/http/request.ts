import { type AnyInput, type EndpointSpec, type Method, nounOf } from '../core/endpoint.ts';
import { ProcError } from '../core/errors.ts';
import type { Credential, Scheme } from '../core/secret.ts';
import type { Dialect, Target } from '../core/service.ts';
import { show } from '../core/validate.ts';

export interface PreparedRequest {
  readonly method: Method;
  /** Scheme, host and port of the target. The credential may go only there. */
  readonly origin: string;
  readonly path: string;
  /** Without the credential; lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string | undefined;
  readonly credential: Credential | undefined;
  readonly expects: EndpointSpec['response'];
  /** The `{id}` of the path, unencoded. */
  readonly subject: string | undefined;
}

/**
 * A key of `query` that proc never sends: the number of pages before the requested page. If the service uses
 * page numbers, `prepare` computes the page number from it. The offset and the limit are not enough: a
 * service may ignore the limit and return pages of its own size.
 */
const PAGE_INDEX = 'pageIndex';

const USER_AGENT = 'proc-cli';

export function prepare(
  spec: EndpointSpec,
  input: AnyInput,
  target: Target & { readonly credential?: Credential | undefined },
): PreparedRequest {
  const path = spec.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    pathSegment(name, input.params?.[name]),
  );
  const query =
    input.query === undefined ? '' : queryString(input.query, target.dialect(nounOf(spec)));
  const { origin, pathname } = new URL(target.baseUrl);
  const body = input.rawBody ?? (input.body === undefined ? undefined : JSON.stringify(input.body));
  return {
    method: spec.method,
    origin,
    // The path of a raw call may already contain a query.
    path: `${pathname.replace(/\/+$/, '')}${path}${path.includes('?') ? query.replace('?', '&') : query}`,
    headers: {
      accept: 'application/json',
      'user-agent': USER_AGENT,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body,
    credential: target.credential,
    expects: spec.response,
    subject: input.params?.id,
  };
}

export function urlOf(request: PreparedRequest): string {
  return request.origin + request.path;
}

export function credentialHeader({ scheme, secret }: Credential): readonly [string, string] {
  const text = secret.reveal();
  return [CREDENTIAL_HEADER[scheme], scheme === 'api-key' ? text : `Bearer ${text}`];
}

export const CREDENTIAL_HEADER: Readonly<Record<Scheme, string>> = {
  'api-key': 'x-api-key',
  bearer: 'authorization',
};

/**
 * One path segment, percent-encoded. Refuses ids that would change the path: proxies resolve `..` even if it is
 * encoded. Call this before look-ups, so that a wrong id fails before any request.
 *
 * @throws ProcError `invalid_usage`
 */
export function pathSegment(name: string, value: string | undefined): string {
  if (value === undefined || value === '') {
    throw new ProcError('invalid_usage', `<${name}> is empty, expected an id`);
  }
  // Also slashes and backslashes, control characters and incomplete ones.
  if (/^\.{1,2}$|[/\\\u0000-\u001f\u007f-\u009f]/.test(value) || !value.isWellFormed()) {
    const says = `<${name}> ${show(value)} contains characters that an id in a path cannot have; nothing was sent`;
    throw new ProcError('invalid_usage', says, { hint: 'Give the id as the service shows it.' });
  }
  return encodeURIComponent(value);
}

function queryString(query: Readonly<Record<string, unknown>>, dialect: Dialect): string {
  const wire = new URLSearchParams();
  const { page, pageBase } = dialect;
  for (const [key, value] of Object.entries(query)) {
    const isPosition = key === PAGE_INDEX || key === 'offset';
    if (value === undefined) continue;
    if (dialect.paging === 'none' && (isPosition || key === 'limit')) continue;
    if (isPosition && page !== undefined) {
      // Only the first page has no index.
      const index = query[PAGE_INDEX] ?? 0;
      wire.set(page, String(Number(index) + pageBase));
    } else if (key === 'limit' || key === 'offset' || key === 'sort' || key === 'dir') {
      wire.append(dialect[key], String(value));
    } else if (key !== PAGE_INDEX) {
      wire.append(key, String(value));
    }
  }
  return wire.size === 0 ? '' : `?${wire}`;
}

export function isWholeList(spec: EndpointSpec, target: Pick<Target, 'dialect'>): boolean {
  return spec.query === undefined || target.dialect(nounOf(spec)).paging === 'none';
}

/** If the service always returns the whole list, cuts the requested part out of it. */
export function rowsAskedFor(
  value: unknown,
  spec: EndpointSpec,
  { query = {} }: AnyInput,
  target: Pick<Target, 'dialect'>,
): unknown {
  const { limit, offset = 0 } = query as { limit?: number; offset?: number };
  if (!Array.isArray(value) || !isWholeList(spec, target)) return value;
  return value.slice(offset, limit === undefined ? undefined : offset + limit);
}
