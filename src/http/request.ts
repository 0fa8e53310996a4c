import { type AnyInput, type EndpointSpec, type Method, nounOf } from '../core/endpoint.ts';
import { ProcError } from '../core/errors.ts';
import type { Credential, Dialect, Scheme, Target } from '../core/service-target.ts';
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
export const PAGE_INDEX = 'pageIndex';

const USER_AGENT = 'proc-cli';

export function prepare(spec: EndpointSpec, input: AnyInput, target: Addressed): PreparedRequest {
  const path = spec.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    pathSegment(name, input.params?.[name]),
  );
  const query =
    input.query === undefined ? '' : queryString(input.query, target.dialect(nounOf(spec)));
  const base = baseOf(target);
  const body = input.rawBody ?? (input.body === undefined ? undefined : JSON.stringify(input.body));
  return {
    method: spec.method,
    origin: base.origin,
    // The path of a raw call may already contain a query.
    path: `${base.path}${path}${path.includes('?') ? query.replace('?', '&') : query}`,
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

type Addressed = Target & { readonly credential?: Credential | undefined };

/** Cached, because an import uses the same target a million times. */
const BASES = new WeakMap<Addressed, { readonly origin: string; readonly path: string }>();

function baseOf(target: Addressed): { readonly origin: string; readonly path: string } {
  let base = BASES.get(target);
  if (base === undefined) {
    const { origin, pathname } = new URL(target.baseUrl);
    base = { origin, path: pathname.replace(/\/+$/, '') };
    BASES.set(target, base);
  }
  return base;
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
 * One path segment, percent-encoded. Refuses ids that would change the path: proxies resolve `..` even if
 * it is encoded.
 * Call this before look-ups, so that a wrong id fails before any request.
 *
 * @throws ProcError `invalid_usage`
 */
export function pathSegment(name: string, value: string | undefined): string {
  if (value === undefined || value === '') {
    throw new ProcError('invalid_usage', `<${name}> is empty, expected an id`);
  }
  const reason = /[/\\]/.test(value)
    ? 'contains a slash or backslash'
    : value === '.' || value === '..'
      ? 'would change the path'
      : /[\u0000-\u001f\u007f-\u009f]/.test(value)
        ? 'contains a control character'
        : !value.isWellFormed()
          ? 'contains an incomplete character'
          : undefined;
  if (reason !== undefined) {
    throw new ProcError('invalid_usage', `<${name}> ${show(value)} ${reason}; nothing was sent`, {
      hint: 'Give the id as the service shows it.',
    });
  }
  return encodeURIComponent(value);
}

function queryString(query: Readonly<Record<string, unknown>>, dialect: Dialect): string {
  const wire = new URLSearchParams();
  for (const [name, value] of wireQuery(query, dialect)) wire.append(name, value);
  const text = wire.toString();
  return text === '' ? '' : `?${text}`;
}

function wireQuery(
  query: Readonly<Record<string, unknown>>,
  dialect: Dialect,
): Array<readonly [string, string]> {
  const wire: Array<readonly [string, string]> = [];
  const isWhole = dialect.paging === 'none';
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (isWhole && (key === PAGE_INDEX || key === 'offset' || key === 'limit')) continue;
    if (key === PAGE_INDEX) {
      if (dialect.page !== undefined)
        wire.push([dialect.page, String(Number(value) + dialect.pageBase)]);
    } else if (key === 'offset' && dialect.page !== undefined) {
      // Only the first page has no index.
      if (query[PAGE_INDEX] === undefined) wire.push([dialect.page, String(dialect.pageBase)]);
    } else if (key === 'limit' || key === 'offset' || key === 'sort' || key === 'dir') {
      wire.push([dialect[key], String(value)]);
    } else {
      wire.push([key, String(value)]);
    }
  }
  return wire;
}

export function isWholeList(spec: EndpointSpec, target: Pick<Target, 'dialect'>): boolean {
  return spec.query !== undefined && target.dialect(nounOf(spec)).paging === 'none';
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
