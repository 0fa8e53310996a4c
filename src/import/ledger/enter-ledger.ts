import type { Ports } from '../../core/ports.ts';
import type { Facts } from './facts.ts';
import type { Phase } from './header.ts';
import type { Journal } from './journal.ts';
import type { PlannedRows } from './rows/planned-rows.ts';

/** Long enough for a waiting process to begin its write. */
const PAUSE_MS = 5;
/** Other processes wait much longer than this before they give up. */
const MOST_WITHOUT_PAUSE_MS = 100;

/** Copies the rows of a run into the ledger, and lets other processes write in between. */
export function enterLedger(
  journal: Journal,
  facts: Partial<Facts> & { readonly phase: Phase },
  { self: { clock } }: Ports<'self'>,
  adjust?: (planned: PlannedRows) => void,
): Promise<void> {
  let writingSince = clock.monotonic();
  const pause = async () => {
    if (clock.monotonic() - writingSince < MOST_WITHOUT_PAUSE_MS) return;
    await clock.sleep(PAUSE_MS);
    writingSince = clock.monotonic();
  };
  return journal.enter(facts, pause, adjust);
}
