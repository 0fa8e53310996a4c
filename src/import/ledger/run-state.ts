import type { Facts } from './facts.ts';
import type { Phase, RunHeader } from './header.ts';
import type { Counts } from './rows/states.ts';

/** What can be asked of a run without its records: of an open journal, or of the ledger alone. */
export interface RunState {
  readonly header: RunHeader;
  readonly phase: Phase;
  /** Its file or the ledger is gone. */
  readonly isRemoved: boolean;
  get<K extends keyof Facts>(key: K): Facts[K] | undefined;
  counts(): Counts;
  /** Unconfirmed rows of which no look-up can tell more. */
  countParked(): number;
  /** Rejected rows that a later run brought in. */
  countRepaired(): number;
}
