import type { Env } from '../core/ports.ts';
import { openExistingHistory, openHistory } from './store.ts';

/**
 * Called when a sandbox starts. On a fresh database, what history holds of its address is about
 * another one: it is forgotten. On a file, the address is noted.
 *
 * @param db undefined for an ephemeral sandbox
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

/** Called when the data of a sandbox file were put back: forgets what was written to it. */
export function sandboxReset(env: Env, db: string): void {
  const history = openExistingHistory(env);
  if (history === undefined) return;
  try {
    for (const baseUrl of history.sandboxesOn(db)) history.forget(baseUrl);
  } finally {
    history.close();
  }
}
