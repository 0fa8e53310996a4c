import type { Scope } from '../../client/scope.ts';
import type { Clock, Env, Say } from '../../core/ports.ts';
import type { History } from '../../history/store.ts';

/** What this machine remembers of writes, and whose they are: what the ledger needs of a command. */
export interface Remembered {
  readonly env: Env;
  history(): Promise<History>;
  /** The service and organization of the command. */
  scope(): Promise<Scope>;
}

/** The same, for what is said or refused. */
export interface Telling extends Remembered {
  readonly say: Say;
  readonly clock: Clock;
  /** The command line, for hints. */
  readonly typed: readonly string[];
}
