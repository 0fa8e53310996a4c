import type { Env } from '../core/ports.ts';
import { openExistingHistory, openHistory } from './store.ts';

/**
 * For a temporary database, removes the history of earlier sandboxes at the same base URL: the new
 * sandbox does not have their data. For a database file, stores the base URL for `sandboxReset`.
 *
 * @param db undefined for a temporary database
 */
export function sandboxStarted(env: Env, baseUrl: string, db: string | undefined): void {
  const history = db === undefined ? openExistingHistory(env) : openHistory(env);
  if (history === undefined) return;
  try {
    if (db === undefined) history.forget(baseUrl);
    else history.noteSandbox(baseUrl, db);
  } finally {
    history.close();
  }
}

export function sandboxReset(env: Env, db: string): void {
  const history = openExistingHistory(env);
  if (history === undefined) return;
  try {
    for (const baseUrl of history.sandboxesOn(db)) history.forget(baseUrl);
  } finally {
    history.close();
  }
}
