import { ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import type { Entry } from './entry.ts';
import { HISTORY, type History, hasHistory } from './store.ts';

/** Returns `otherwise` if there is no history yet, because reading must not create a file. */
export async function withHistory<T>(
  ports: Ports<'store' | 'self'>,
  otherwise: T,
  look: (history: History) => T | Promise<T>,
): Promise<T> {
  return hasHistory(ports.self) ? look(await ports.store.open(HISTORY)) : otherwise;
}

/**
 * @param id of an entry, or `last`
 * @param isMeant which entries count for `last`; by default all of the current target
 * @throws ProcError `reference_not_found`
 */
export async function findEntry(
  ports: Ports<'store' | 'self'>,
  id: string,
  isMeant: (entry: Entry) => boolean = () => true,
): Promise<Entry> {
  if (id.toLowerCase() === 'last') {
    const scope = await ports.store.scope();
    const entries = await withHistory(ports, [], (history) => history.entries());
    const last = entries.find((entry) => scope.ownershipOf(entry) === 'ours' && isMeant(entry));
    if (last !== undefined) return last;
  }
  const entry = await withHistory(ports, undefined, (history) => history.get(id.toLowerCase()));
  if (entry !== undefined) return entry;
  throw new ProcError('reference_not_found', `history has no entry "${id}"`, {
    hint: 'List all entries: proc history list',
  });
}
