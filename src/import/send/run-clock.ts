import type { Clock } from '../../core/ports.ts';
import type { ClockBase } from '../ledger/facts.ts';
import type { Journal } from '../ledger/journal.ts';

export interface RunClock extends Clock {
  /** When its time began, ms: of what was sent before, the age cannot be told. */
  readonly since: number;
}

/**
 * The time of a run: begins at the wall clock and goes on by the monotonic one, so that setting the
 * clock neither ages a row that is still under way nor makes the run wait for hours. The journal keeps
 * where it began: a process that resumes the run in the same boot of the machine counts on from there.
 * In any other, nobody knows how much time has passed, and it begins anew.
 */
export function runClock(clock: Clock, journal: Journal): RunClock {
  const { wall, monotonic } = baseOf(clock, journal);
  const now = () => wall + Math.floor(clock.monotonic() - monotonic);
  return {
    now,
    since: wall,
    monotonic: () => clock.monotonic(),
    boot: () => clock.boot(),
    random: () => clock.random(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}

function baseOf(clock: Clock, journal: Journal): ClockBase {
  const boot = clock.boot() ?? null;
  const kept = journal.get('clock');
  const monotonic = clock.monotonic();
  if (kept !== undefined && boot !== null && kept.boot === boot && kept.monotonic <= monotonic) {
    return kept;
  }
  // Never before a row was sent: one from the future would be waited for.
  const base = {
    boot,
    wall: Math.max(clock.now(), journal.unconfirmed.lastSentAt() ?? 0),
    monotonic,
  };
  journal.note({ clock: base });
  return base;
}
