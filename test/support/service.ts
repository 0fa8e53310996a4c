import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { SANDBOX_KEYS } from '../../src/sandbox/seed.ts';
import type { RequestLog, Sandbox } from '../../src/sandbox/server.ts';
import { atFileEnd } from './at-end.ts';
import { type OwnOptions, startOwnSandbox } from './dialects.ts';

/** A sandbox that records its requests. It ends with the file of tests, unless it was closed. */
export interface LoggedSandbox extends Sandbox, AsyncDisposable {
  readonly requests: RequestLog[];
  writes(): RequestLog[];
  /** Rows of its database. */
  sql(query: string): Record<string, SQLOutputValue>[];
  /** The variables that point `proc` here, with the first organization's key. */
  readonly target: { readonly PROC_BASE_URL: string; readonly PROC_API_KEY: string };
}

/** What these statements find in a database, or change there. */
export function sqlIn(path: string, query: string): Record<string, SQLOutputValue>[] {
  using database = new DatabaseSync(path);
  const statements = query.split(';').filter((one) => one.trim() !== '');
  return statements.flatMap((one) =>
    database
      .prepare(one)
      .all()
      .map((row) => ({ ...row })),
  );
}

export async function loggedSandbox(options: OwnOptions = {}): Promise<LoggedSandbox> {
  const requests: RequestLog[] = [];
  const sandbox = await startOwnSandbox({ ...options, onRequest: (entry) => requests.push(entry) });
  const forget = atFileEnd(() => sandbox.close());
  const close = () => {
    forget();
    return sandbox.close();
  };
  return {
    ...sandbox,
    close,
    requests,
    writes: () => requests.filter(({ method }) => method !== 'GET'),
    sql: (query) => sqlIn(sandbox.dbPath, query),
    target: { PROC_BASE_URL: sandbox.baseUrl, PROC_API_KEY: SANDBOX_KEYS[0].apiKey },
    [Symbol.asyncDispose]: close,
  };
}
