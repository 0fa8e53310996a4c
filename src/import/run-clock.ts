import type { Clock } from '../core/ports.ts';
import type { ClockBase } from './store/facts.ts';
import type { Run } from './store/run-file.ts';

/** As {@link RunClock.intentMs}: on this machine, and with a ledger that a network separates from it. */
const INTENT_MS = { local: 1_000, shared: 5_000 };

export interface RunClock extends Clock {
  /**
   * A row that was marked as sent longer ago than this is marked again before its request leaves. The
   * time of the mark decides when the row may be looked up.
   */
  readonly intentMs: number;
  /** Whether another machine may look the row up by then. */
  readonly isShared: boolean;
  /** By how much the wall clock is ahead of this one, ms. It grows while the machine sleeps, and this clock stands still. */
  ahead(): number;
  /** When this clock began, ms. The age of rows sent earlier is unknown. */
  readonly since: number;
}

/**
 * The clock of a run begins at the current wall time, but not before the last unconfirmed row was
 * sent. It continues with the monotonic clock, so a change of the wall clock has no effect on it.
 *
 * The file stores the beginning. A resume continues this clock, or begins a new one after a
 * reboot.
 */
export function runClock(clock: Clock, run: Run): RunClock {
  const { wall, monotonic } = baseOf(clock, run);
  const now = () => wall + Math.floor(clock.monotonic() - monotonic);
  const { isShared } = run;
  return {
    now,
    since: wall,
    isShared,
    intentMs: INTENT_MS[isShared ? 'shared' : 'local'],
    ahead: () => clock.now() - now(),
    monotonic: () => clock.monotonic(),
    boot: () => clock.boot(),
    random: () => clock.random(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}

/** Whether the machine has been running ever since a process last sent rows of this run. */
export function isSameBoot(clock: Clock, run: Run): boolean {
  const kept = run.get('clock');
  const boot = clock.boot();
  return kept !== undefined && kept.boot === boot && kept.monotonic <= clock.monotonic();
}

function baseOf(clock: Clock, run: Run): ClockBase {
  const boot = clock.boot() ?? null;
  const kept = run.get('clock');
  const monotonic = clock.monotonic();
  if (kept !== undefined && isSameBoot(clock, run)) return kept;
  // If the clock began before the last unconfirmed row was sent, proc would look that row up too
  // late.
  const base = {
    boot,
    wall: Math.max(clock.now(), run.rows.unconfirmed.lastSentAt() ?? 0),
    monotonic,
  };
  run.note({ clock: base });
  return base;
}
