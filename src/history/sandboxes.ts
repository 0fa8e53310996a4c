import type { Env } from '../core/ports.ts';
import { openExistingHistory, openHistory } from './store.ts';

/**
 * Called when a sandbox starts. A temporary database is new, so entries of its base URL belong to
 * an earlier sandbox and are removed. For a database file, the base URL is stored, so that
 * `sandboxReset` finds it.
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
