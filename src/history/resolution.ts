import { inShell } from '../core/text/typed.ts';
import type { Entry } from './entry.ts';

/**
 * The id of the record that a write changes or deletes: the last part of the path. Undefined for a
 * create.
 */
export function subjectOf({ method, path }: Pick<Entry, 'method' | 'path'>): string | undefined {
  return method === 'POST' ? undefined : decodeURIComponent(path.split('/').at(-1)!);
}

export function resolveHint(entry: Pick<Entry, 'id' | 'method' | 'path'>): string {
  const id = subjectOf(entry);
  const adopt = id === undefined ? 'ID' : inShell(id);
  return `Check the service. If the write was applied, run: proc history resolve ${inShell(entry.id)} --adopt ${adopt}; if not, run: proc history resolve ${inShell(entry.id)} --not-applied.`;
}
