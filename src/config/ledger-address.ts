import { userInfo } from 'node:os';
import { ProcError } from '../core/errors.ts';
import type { Env } from '../core/io.ts';
import { Secret } from '../core/service/secret.ts';
import { isLoopback } from '../core/text/loopback.ts';

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
