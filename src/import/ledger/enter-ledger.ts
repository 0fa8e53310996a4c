import type { Ports } from '../../core/ports.ts';
import type { Step } from '../phases.ts';
import type { Journal } from './journal.ts';
import type { Entering } from './run-file/enter-rows.ts';

/** Long enough for a waiting process to begin its write. */
const PAUSE_MS = 5;
/** Other processes wait much longer than this before they give up. */
const MOST_WITHOUT_PAUSE_MS = 100;

/** Copies the rows of a run into the ledger, and lets other processes write in between. */
export function enterLedger(
  journal: Journal,
  step: Extract<Step, 'begin' | 'skip'>,
  entering: Omit<Entering, 'pause'>,
  { self: { clock } }: Ports<'self'>,
): Promise<void> {
  let writingSince = clock.monotonic();
  const pause = async () => {
    if (clock.monotonic() - writingSince < MOST_WITHOUT_PAUSE_MS) return;
    await clock.sleep(PAUSE_MS);
    writingSince = clock.monotonic();
  };
  return journal.enter(step, { ...entering, pause });
}
