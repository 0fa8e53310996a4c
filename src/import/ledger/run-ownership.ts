import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { Scope } from '../../core/scope.ts';
import type { Journal } from './journal.ts';

/**
 * The scope in which a run looks up earlier writes. If the run is `ours`, it is the scope of the
 * command. Otherwise it comes from the header.
 */
export async function scopeOfRun(journal: Journal, ports: Ports<'store' | 'self'>): Promise<Scope> {
  try {
    const scope = await ports.store.scope();
    if (scope.ownershipOf(journal.header) === 'ours') return scope;
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
  }
  return new Scope(journal.header);
}
