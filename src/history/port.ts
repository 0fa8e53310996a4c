import type { Scope } from '../client/scope.ts';
import type { History } from './store.ts';

declare module '../core/command.ts' {
  interface Context {
    /**
     * The writes of this machine; opened when first asked for, closed at the end of the command.
     * Single writes are recorded by `call`; bulk records one entry per run.
     *
     * @throws ProcError `state_unwritable`
     */
    history(): Promise<History>;
    /**
     * Whose writes are ours: the service and organization of this command. Nothing remembered is looked
     * up without it.
     */
    scope(): Promise<Scope>;
  }
}
