import { existsSync } from 'node:fs';
import { ProcError } from '../../../core/errors.ts';
import { Journal } from '../../ledger/journal.ts';
import { journalPath } from '../../ledger/runs.ts';

/** A row of a repairing run that has its final place. */
interface Repaired {
  readonly row: number;
  readonly mends: number;
  readonly state: string;
  readonly id: string | null;
}

/**
 * Tells the run that is repaired what became of its rejected rows, and the one that it repairs in its
 * turn: their totals then show it. May be called again at any time.
 */
export function reportBack(journal: Journal, folder: string): void {
  const { run, mends } = journal.header;
  if (mends === undefined || !existsSync(journalPath(folder, mends))) return;
  const select = journal.database.prepare(
    "SELECT row, mends, state, id FROM rows WHERE mends IS NOT NULL AND state IN ('created', 'existing', 'duplicate')",
  );
  const repaired = () => select.iterate() as Iterable<unknown> as Iterable<Repaired>;
  let earlier: Journal | undefined;
  try {
    earlier = Journal.open(journalPath(folder, mends));
    const { database } = earlier;
    const mark = database.prepare(
      "UPDATE rows SET state = ?, id = ?, repaired_by = ? WHERE row = ? AND state = 'rejected'",
    );
    const isOpen = database.prepare("SELECT 1 FROM rows WHERE row = ? AND state = 'rejected'");
    if (some(repaired(), (one) => isOpen.get(one.mends) !== undefined)) {
      earlier.commit(() => {
        for (const one of repaired()) mark.run(one.state, one.id, run, one.mends);
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
