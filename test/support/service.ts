import { SANDBOX_KEYS } from '../../src/sandbox/seed.ts';
import type { RequestLog, Sandbox } from '../../src/sandbox/server.ts';
import { type OwnOptions, startOwnSandbox } from './own-sandbox.ts';

/** A sandbox that records its requests. For `await using`, or for all tests of a file. */
export interface LoggedSandbox extends Sandbox, AsyncDisposable {
  readonly requests: RequestLog[];
  writes(): RequestLog[];
  /** The variables that point `proc` here, with the first organization's key. */
  readonly target: { readonly PROC_BASE_URL: string; readonly PROC_API_KEY: string };
}

export async function loggedSandbox(options: OwnOptions = {}): Promise<LoggedSandbox> {
  const requests: RequestLog[] = [];
  const sandbox = await startOwnSandbox({
    ...options,
    onRequest: (entry) => requests.push(entry),
  });
  return {
    ...sandbox,
    requests,
    writes: () => requests.filter(({ method }) => method !== 'GET'),
    target: { PROC_BASE_URL: sandbox.baseUrl, PROC_API_KEY: SANDBOX_KEYS[0].apiKey },
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}
