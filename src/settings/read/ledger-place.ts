import { createHash } from 'node:crypto';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { Env } from '../../core/ports.ts';
import { Secret } from '../../core/service/secret.ts';
import { isLoopback } from '../../core/text/loopback.ts';
import { configFile, stateDir } from './paths.ts';
import { readSources } from './resolve-target.ts';
import { type Sources, select, type TargetFlags } from './select-target.ts';
import { first, type Sourced } from './setting-origin.ts';

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

export interface LedgerPlace {
  /** Has `ledger.db`, or the files that belong to a shared ledger. */
  readonly folder: string;
  /** Undefined for the ledger of this machine. */
  readonly postgres: PostgresPlace | undefined;
}

const VARIABLE = 'PROC_LEDGER';

const SCHEMES = ['postgres:', 'postgresql:'];

const PORT = '5432';

const EXAMPLE = 'Example: postgres://USER@HOST/DATABASE';

/** As it is typed, with the password hidden. Undefined: the ledger of this machine. */
export function ledgerSetting({
  env,
  config,
}: Pick<Sources, 'env' | 'config'>): Sourced<string> | undefined {
  const found = settingIn(env, config);
  return found && { ...found, value: shown(found.value) };
}

function settingIn(env: Env, config: Sources['config']): Sourced<string> | undefined {
  return first(
    [env[VARIABLE], 'variable', VARIABLE],
    [config.ledger, 'config', `ledger in ${configFile(env)}`],
  );
}

/**
 * The ledger of a command. A service on loopback belongs to one machine, and so does its ledger, unless
 * `PROC_LEDGER_LOOPBACK=1`.
 *
 * @throws ProcError `invalid_setting`
 */
export function ledgerPlace(self: { readonly flags: TargetFlags; readonly env: Env }): LedgerPlace {
  const { env } = self;
  const local = { folder: stateDir(env), postgres: undefined };
  const sources = sourcesOf(self);
  const setting = sources && settingIn(env, sources.config);
  if (sources === undefined || setting === undefined) return local;
  if (env.PROC_LEDGER_LOOPBACK !== '1' && isLocal(sources)) return local;
  const postgres = parseLedger(setting.value, setting.place, env);
  const key = createHash('sha256').update(postgres.name).digest('hex').slice(0, 12);
  return { folder: join(local.folder, 'shared', key), postgres };
}

/** Without readable settings nothing can be sent, but what was sent from this machine can be looked at. */
function sourcesOf(self: Parameters<typeof ledgerPlace>[0]): Sources | undefined {
  try {
    return readSources(self);
  } catch (thrown) {
    if (thrown instanceof ProcError && self.env[VARIABLE] === undefined) return undefined;
    throw thrown;
  }
}

/** A target that cannot be selected is reported by what needs the target. */
function isLocal(sources: Sources): boolean {
  try {
    return select(sources).url.value.isLoopback;
  } catch (thrown) {
    if (thrown instanceof ProcError) return false;
    throw thrown;
  }
}

/**
 * @param place where the setting stands, for messages
 * @throws ProcError `invalid_setting`
 */
function parseLedger(text: string, place: string, env: Env): PostgresPlace {
  const fail = (why: string, hint = EXAMPLE): never => {
    throw new ProcError('invalid_setting', `${place}: ${why}`, { hint });
  };
  const url = URL.canParse(text) ? new URL(text) : fail('expected the address of a database');
  if (!SCHEMES.includes(url.protocol)) fail(`expected postgres://, got ${url.protocol}//`);
  const part = (value: string, variable: string) => decodeURIComponent(value) || env[variable];
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
export function checkLedger(text: string, env: Env): string {
  parseLedger(text, 'ledger', env);
  if (new URL(text).password === '') return text;
  throw new ProcError('invalid_setting', 'ledger: a password is not stored in the configuration', {
    hint: 'Leave it out, and set PGPASSWORD or write it into ~/.pgpass',
  });
}

function shown(text: string): string {
  if (!URL.canParse(text)) return '***';
  const url = new URL(text);
  if (url.password !== '') url.password = '***';
  return url.href;
}
