import type { Phase } from '../phases.ts';
import type { Facts } from './facts.ts';
import type { RunHeader } from './header.ts';
import type { Counts } from './rows/states.ts';

/** The state of a run without its records, read from an open journal or from the ledger alone. */
export interface RunState {
  readonly header: RunHeader;
  readonly phase: Phase;
  readonly isRemoved: boolean;
  get<K extends keyof Facts>(key: K): Facts[K] | undefined;
  counts(): Counts;
  /** @param isRunning a process is working on the run, so rows that it is sending do not count */
  countParked(isRunning?: boolean): number;
  countRepaired(): number;
}
