import { userInfo } from 'node:os';
import { type ErrorCode, ProcError } from '../core/errors.ts';
import type { Env } from '../core/io.ts';
import { Secret } from '../core/secret.ts';
import { isLoopback } from '../core/service.ts';

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

/** Where a shared ledger is. */
export interface PostgresPlace {
  /** Without the password: `ledger@db.example:5432/proc`. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Undefined: the library looks into `.pgpass`. */
  readonly password: Secret | undefined;
  /** Undefined: without TLS, on loopback only. */
  readonly tls: { readonly rootCertificate: string | undefined } | undefined;
}

const SCHEMES = ['postgres:', 'postgresql:'];

const PORT = '5432';

const EXAMPLE = 'Example: postgres://USER@HOST/DATABASE';

/**
 * @param place where the setting stands, for messages
 * @throws ProcError `invalid_setting`
 */
export function parseLedger(text: string, place: string, env: Env): PostgresPlace {
  const fail = (why: string, hint = EXAMPLE): never => {
    throw new ProcError('invalid_setting', `${place}: ${why}`, { hint });
  };
  const url = URL.canParse(text) ? new URL(text) : fail('expected the address of a database');
  if (!SCHEMES.includes(url.protocol)) fail(`expected postgres://, got ${url.protocol}//`);
  const part = (value: string, variable: string) => {
    try {
      return decodeURIComponent(value) || env[variable];
    } catch {
      return fail('a % that is no part of %XX; write it as %25');
    }
  };
  const host = part(url.hostname, 'PGHOST') ?? 'localhost';
  const port = url.port || env.PGPORT || PORT;
  const user = part(url.username, 'PGUSER') ?? userInfo().username;
  const database = part(url.pathname.slice(1), 'PGDATABASE') ?? user;
  const password = part(url.password, 'PGPASSWORD');
  const parameters = new Map(url.searchParams);
  const mode = parameters.get('sslmode') ?? env.PGSSLMODE ?? 'verify-full';
  const isHere = isLoopback(host) || host.startsWith('/');
  const isPlain = isHere && (parameters.get('sslmode') ?? 'disable') === 'disable';
  if (!isHere && mode !== 'verify-full') {
    fail(
      `sslmode=${mode} does not verify who the database is`,
      'Use sslmode=verify-full, with sslrootcert=FILE for an authority of your own',
    );
  }
  for (const name of parameters.keys()) {
    if (name !== 'sslmode' && name !== 'sslrootcert') fail(`unknown parameter ${name}`);
  }
  return {
    name: `${user}@${host}:${port}/${database}`,
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port),
    database,
    user,
    password: password === undefined ? undefined : new Secret(password),
    tls: isPlain
      ? undefined
      : { rootCertificate: parameters.get('sslrootcert') ?? env.PGSSLROOTCERT },
  };
}

/**
 * Checks a ledger that is to be stored. A password belongs into `.pgpass` or `PGPASSWORD`.
 *
 * @throws ProcError `invalid_setting`
 */
export function checkLedger(text: string): string {
  parseLedger(text, 'ledger', {});
  if (new URL(text).password === '') return text;
  throw new ProcError('invalid_setting', 'ledger: a password is not stored in the configuration', {
    hint: 'Leave it out, and set PGPASSWORD or write it into ~/.pgpass',
  });
}
