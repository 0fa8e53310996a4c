import type { Holder } from '../import-lock.ts';
import { hasEnded, type Phase } from '../phases.ts';
import type { Facts, RunHeader } from './facts.ts';
import type { Counts } from './transitions.ts';

/** The state of a run without its records, read from its open file or from the ledger alone. */
export interface RunState {
  readonly header: RunHeader;
  readonly phase: Phase;
  readonly isRemoved: boolean;
  /** Its file is on another machine, which shares the ledger: the rows are not known here. */
  readonly isElsewhere?: boolean;
  get<K extends keyof Facts>(key: K): Facts[K] | undefined;
  counts(): Counts;
  /** @param isRunning a process is working on the run, so rows that it is sending do not count */
  countParked(isRunning?: boolean): number;
}

export interface Counted {
  readonly rows: number;
  /** Missing if zero. */
  readonly created: number;
  readonly existing: number;
  readonly duplicates: number;
  readonly dropped: number;
  readonly rejected: number;
  readonly unconfirmed: number;
  /** Rows whose requests are on their way. Missing if zero, or if no process is working on the run. */
  readonly sending?: number;
  readonly pending: number;
}

/**
 * If no process works on the run, nobody waits for the response to a `sending` row. So the row
 * counts as unconfirmed.
 */
export function counted(counts: Counts, isRunning = false): Counted {
  return {
    rows: Object.values(counts).reduce((sum, count) => sum + count, 0),
    created: counts.created,
    existing: counts.existing,
    duplicates: counts.duplicate,
    dropped: counts.dropped,
    rejected: counts.rejected,
    unconfirmed: counts.unconfirmed + (isRunning ? 0 : counts.sending),
    ...(isRunning && counts.sending > 0 ? { sending: counts.sending } : {}),
    pending: counts.pending,
  };
}

export type Summary = ReturnType<typeof summary>;

/**
 * The counts, warnings, next command and exit code of a run are all derived from here.
 *
 * @param running the process that works on the run, if it is known
 */
export function summary(run: RunState, running?: Holder, isRunning = running !== undefined) {
  const { header, phase } = run;
  const counts = counted(run.counts(), isRunning);
  const isLost = run.isRemoved;
  const { unconfirmed } = counts;
  // Without its file, the run cannot be resumed, so proc will look up no row.
  const areParked = unconfirmed === 0 || isLost;
  const parked = areParked ? unconfirmed : run.countParked(isRunning);
  const open = unconfirmed - parked;
  return {
    ...{ header, phase, running, isRunning, counts, parked, open },
    isElsewhere: run.isElsewhere === true,
    /** The file was removed while it was open. */
    isLost,
    /** The next step of the run. `nothing`: every row has its final state. */
    get left(): 'resume' | 'resolve' | 'nothing' {
      if (!hasEnded(phase) || counts.pending > 0) return 'resume';
      if (unconfirmed === 0) return 'nothing';
      return open > 0 ? 'resume' : 'resolve';
    },
    fact<K extends keyof Facts>(key: K): Facts[K] | undefined {
      return run.get(key);
    },
  };
}
