import { existsSync } from 'node:fs';
import { ProcError } from '../../../core/errors.ts';
import { Journal } from '../journal.ts';
import { journalPath } from '../runs.ts';

/**
 * Tells the run that is repaired what became of its rejected rows, and the one that it repairs in its
 * turn: their totals then show it. May be called again at any time.
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
    // A journal that is damaged has no totals to show.
    if (!(thrown instanceof ProcError)) throw thrown;
  } finally {
    earlier?.close();
  }
}

function some<T>(all: Iterable<T>, holds: (one: T) => boolean): boolean {
  for (const one of all) if (holds(one)) return true;
  return false;
}
