import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SQLInputValue } from 'node:sqlite';
import type { Env } from '../core/ports.ts';
import type { Scope } from '../core/scope.ts';
import { stateDir } from '../settings/read/paths.ts';
import { openDatabase } from '../store/open-database.ts';
import type { Candidate } from './offers.ts';

const MOST = 200;

/** Look-up → the endpoint that creates the records, which history has. */
const CREATED: Readonly<Record<string, string>> = {
  requisitions: 'requisitions.create',
  groups: 'requisitions.group-add',
  lines: 'requisitions.item-add',
  items: 'items.create',
};

const OURS = 'service = ? AND organization IN (SELECT value FROM json_each(?))';

function ours({ service, names }: Scope): [string, string] {
  return [service, JSON.stringify(names)];
}

/**
 * The known names of a key's organization, then the key's fingerprint. Empty before the first
 * write: the fingerprint has no salt yet.
 */
export function keyNames(
  env: Env,
  service: string,
  fingerprint: (salt: string) => string,
): string[] {
  const [found] = query<readonly [string]>(env, 'ledger.db', 'SELECT salt FROM key_salt', []);
  if (found === undefined) return [];
  const key = fingerprint(found[0]);
  const sql =
    'SELECT name FROM organizations WHERE service = ? AND fingerprint = ? ORDER BY seq DESC';
  const names = query<readonly [string]>(env, 'ledger.db', sql, [service, key]);
  return [...names.map(([name]) => name), key];
}

export function historyIds(env: Env): readonly Candidate[] {
  const sql = `SELECT id, what FROM entries ORDER BY seq DESC LIMIT ${MOST}`;
  return query(env, 'ledger.db', sql, []);
}

/** @param byCode records that have a code by their code, else by their id */
export function created(
  env: Env,
  scope: Scope,
  lookup: string,
  byCode: boolean,
): readonly Candidate[] {
  const endpoint = CREATED[lookup];
  if (endpoint === undefined) return [];
  const typed = byCode ? "coalesce(nullif(response ->> 'code', ''), created)" : 'created';
  const sql = `SELECT ${typed}, what FROM entries WHERE endpoint = ? AND ${OURS} AND created IS NOT NULL
    AND state IN ('done', 'adopted') ORDER BY seq DESC LIMIT ${MOST}`;
  return query(env, 'ledger.db', sql, [endpoint, ...ours(scope)]);
}

/** Ids of records that a command on this machine deleted, and keys of deleted sectors. */
export function deletedHere(env: Env, scope: Scope): ReadonlySet<string> {
  const sql = `SELECT path, coalesce(before ->> 'key', '') FROM entries WHERE method = 'DELETE' AND ${OURS}
    AND state IN ('done', 'adopted') ORDER BY seq DESC LIMIT 1000`;
  const found = query<readonly string[]>(env, 'ledger.db', sql, ours(scope));
  return new Set(
    found.flatMap(([path = '', key = '']) => [decodeURIComponent(path.split('/').at(-1)!), key]),
  );
}

/**
 * Names of files in a folder of the state folder, without extension. The newest run comes first.
 */
export function fileNames(env: Env, folder: string, ending: string): readonly Candidate[] {
  try {
    return readdirSync(join(stateDir(env), folder))
      .filter((name) => name.endsWith(ending))
      .map((name): Candidate => [name.slice(0, -ending.length), ''])
      .sort(([a], [b]) => (a < b ? 1 : -1))
      .slice(0, MOST);
  } catch {
    return [];
  }
}

function query<T extends readonly string[] = Candidate>(
  env: Env,
  file: string,
  sql: string,
  values: readonly SQLInputValue[],
): readonly T[] {
  const path = join(stateDir(env), file);
  if (!existsSync(path)) return [];
  try {
    const database = openDatabase(path, { readOnly: true, wal: false, busyTimeoutMs: 100 });
    try {
      return database
        .prepare(sql)
        .all(...values)
        .map((row) => Object.values(row).map(String) as unknown as T);
    } finally {
      database.close();
    }
  } catch {
    return [];
  }
}
