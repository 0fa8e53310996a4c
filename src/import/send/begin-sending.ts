import type { Ports } from '../../core/ports.ts';
import { beginEntry } from '../ledger/record-run.ts';
import type { PlannedRows } from '../ledger/rows/planned-rows.ts';
import type { OpenRun } from '../open-run.ts';

interface Beginning {
  /** How many rows are to be created. */
  readonly rows: number;
  /** Time that the run has taken so far. */
  readonly workedMs: number;
  /** Changes rows before the first of them is sent. */
  adjust?(planned: PlannedRows): void;
}

/** Adds an entry to the history for the whole run. Then the run may send. */
export async function beginSending(
  { journal, target }: OpenRun,
  { rows, workedMs, adjust }: Beginning,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<void> {
  const keyMark = (await ports.store.scope()).markOf(journal.header.run);
  const firstSentAt = ports.self.clock.now();
  const entry = await beginEntry(journal, target, rows, ports);
  await journal.begin('begin', { facts: { workedMs, firstSentAt, keyMark }, entry, adjust });
}
