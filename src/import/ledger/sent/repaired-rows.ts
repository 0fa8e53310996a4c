import { existsSync } from 'node:fs';
import { ProcError } from '../../../core/errors.ts';
import { Journal } from '../journal.ts';
import { journalPath } from '../runs.ts';

/**
 * Records the outcome of repaired rows in the run that rejected them, and in the run which that one
 * repairs, so that their totals are right. May be called again at any time.
 */
export function reportBack(journal: Journal, folder: string): void {
  const { run, repairs } = journal.header;
  if (repairs === undefined || !existsSync(journalPath(folder, repairs))) return;
  let earlier: Journal | undefined;
  try {
    earlier = Journal.open(journalPath(folder, repairs));
    const told = earlier;
    const isRejected = told.reported.isRejected();
    if (some(journal.reported.repairs(), (one) => isRejected(one.repairs))) {
      told.commit(() => {
        for (const { repairs: was, state, id } of journal.reported.repairs()) {
          told.apply(was, 'repair', state, { id, repairedBy: run });
        }
      });
    }
    reportBack(earlier, folder);
  } catch (thrown) {
    // A damaged journal has no totals to update.
    if (!(thrown instanceof ProcError)) throw thrown;
  } finally {
    earlier?.close();
  }
}

function some<T>(all: Iterable<T>, holds: (one: T) => boolean): boolean {
  for (const one of all) if (holds(one)) return true;
  return false;
}
