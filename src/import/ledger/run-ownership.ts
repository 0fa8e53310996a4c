import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { type Ownership, Scope } from '../../core/scope.ts';
import type { Journal } from './journal.ts';
import type { RunState } from './run-state.ts';

/** A run without a recorded organization is `ours` if it used the key of the scope. */
export function ownershipOfRun(run: Pick<RunState, 'header' | 'get'>, scope: Scope): Ownership {
  const { header } = run;
  const ownership = scope.ownershipOf(header);
  if (ownership !== 'unrecorded') return ownership;
  return scope.sentWithThisKey(header.run, run.get('keyMark')) ? 'ours' : ownership;
}

/**
 * The scope in which a run looks up earlier writes. If the run is `ours`, it is the scope of the
 * command. Otherwise it comes from the header.
 */
export async function scopeOfRun(journal: Journal, ports: Ports<'store' | 'self'>): Promise<Scope> {
  try {
    const scope = await ports.store.scope();
    if (ownershipOfRun(journal, scope) === 'ours') return scope;
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
  }
  return new Scope(journal.header);
}
