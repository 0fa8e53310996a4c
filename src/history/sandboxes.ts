import type { Env } from '../core/ports.ts';
import { openExistingHistory, openHistory } from './store.ts';

/**
 * Forgets what was sent to an earlier sandbox at the same base URL, unless this one has the same database: with
 * another database, or after a reset, it is another service.
 *
 * @param isKept false for a temporary database, for which no history is created
 */
export function sandboxStarted(
  env: Env,
  { baseUrl, databaseId }: { readonly baseUrl: string; readonly databaseId: string },
  isKept: boolean,
): void {
  const history = isKept ? openHistory(env) : openExistingHistory(env);
  if (history === undefined) return;
  try {
    history.noteSandbox(baseUrl, databaseId);
  } finally {
    history.close();
  }
}
