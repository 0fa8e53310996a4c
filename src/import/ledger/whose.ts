import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { Scope, type Whose } from '../../core/scope.ts';
import type { Journal } from './journal.ts';

/** Whose a run is. One from before organizations were recorded is ours if it used this very key. */
export function whoseRun(journal: Journal, scope: Scope): Whose {
  const { header } = journal;
  const whose = scope.whose(header);
  if (whose !== 'unrecorded') return whose;
  return scope.sentWithThisKey(header.run, journal.get('keyMark')) ? 'ours' : whose;
}

/**
 * The scope in which a run looks up earlier writes: the command's, which knows every name of the
 * organization; the run's own if the key at hand is another one, or there is none.
 */
export async function scopeOfRun(journal: Journal, ports: Ports<'store' | 'self'>): Promise<Scope> {
  try {
    const scope = await ports.store.scope();
    if (whoseRun(journal, scope) === 'ours') return scope;
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
  }
  return new Scope(journal.header);
}
