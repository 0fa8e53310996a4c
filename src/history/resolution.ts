import { inShell } from '../core/text/typed.ts';
import type { Entry } from './entry.ts';

/**
 * The id that a change or a deletion is about: the last part of its path. A create has none yet.
 */
export function subjectOf({ method, path }: Pick<Entry, 'method' | 'path'>): string | undefined {
  return method === 'POST' ? undefined : decodeURIComponent(path.split('/').at(-1)!);
}

/** The commands that record the outcome of an unconfirmed write. */
export function wayOut(entry: Pick<Entry, 'id' | 'method' | 'path'>): string {
  const id = subjectOf(entry);
  const adopt = id === undefined ? 'ID' : inShell(id);
  return `Look whether it was applied. If so: proc history resolve ${inShell(entry.id)} --adopt ${adopt}; if not: proc history resolve ${inShell(entry.id)} --not-applied.`;
}
