import { type ErrorCode, ProcError } from '../core/errors.ts';
import { isLoopback } from '../core/text/loopback.ts';

export interface BaseUrl {
  /** Without trailing slashes: endpoint paths are appended. */
  readonly href: string;
  /** Scheme, host and port. Credentials are bound to the origin. */
  readonly origin: string;
  /** E.g. `/api/v1`, or empty. */
  readonly path: string;
  /** 127.0.0.0/8, ::1 or localhost. */
  readonly isLoopback: boolean;
  readonly isPlainHttp: boolean;
}

/** The end of every base URL in the contract (docs/service-contract.md §9). */
const VERSION_PATH = '/api/v1';

/** What an address must not be. The URL parser would silently drop or convert some of it. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'the address is empty'],
  [/[\s\\\p{Cc}]/u, 'the address contains a space, a backslash or a control character'],
  [/\/(?:\.|%2e){1,2}(?:\/|$)/i, 'the address contains "." or ".." as a path segment'],
  [/^https?:\/\/.*@/is, 'the address must not contain a user name or password'],
  [/^https?:\/\/.*\?/is, 'the address must not contain a query (?…)'],
  [/^https?:\/\/.*#/is, 'the address must not contain a fragment (#…)'],
];

/**
 * Accepts http and https, without user name, query or fragment.
 *
 * @param where the place, for errors, e.g. `PROC_BASE_URL`.
 * @param code `invalid_usage` for a URL that was just typed.
 */
export function parseBaseUrl(
  text: string,
  where: string,
  code: ErrorCode = 'invalid_setting',
): BaseUrl {
  const typed = text.trim();
  const url = URL.parse(typed);
  const refused = REFUSED.find(([pattern]) => pattern.test(typed))?.[1];
  if (refused !== undefined || url === null || !/^https?:\/\//i.test(typed)) {
    // The message never repeats the address, which may contain a password or key.
    const why = refused ?? 'the address must begin with https:// or http://';
    throw new ProcError(code, `${where}: ${why}`, {
      hint: `Use e.g. https://procurement.example.com${VERSION_PATH}`,
    });
  }
  const path = url.pathname.replace(/\/+$/, '');
  return {
    href: url.origin + path,
    origin: url.origin,
    path,
    isLoopback: isLoopback(url.hostname),
    isPlainHttp: url.protocol === 'http:',
  };
}

/** Reads a base URL that will be stored. It ends in a version such as `/api/v1`. @throws ProcError `invalid_usage` */
export function parseNewBaseUrl(text: string, where: string): BaseUrl {
  const url = parseBaseUrl(text, where, 'invalid_usage');
  if (/\/v\d+$/.test(url.path)) return url;
  throw new ProcError('invalid_usage', `${where}: ${url.href} does not end in ${VERSION_PATH}`, {
    hint: `Use ${url.href.replace(/\/api$/, '')}${VERSION_PATH}`,
  });
}
