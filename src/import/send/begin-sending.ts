import type { Ports } from '../../core/ports.ts';
import { beginEntry } from '../ledger/record-run.ts';
import type { PlannedRows } from '../ledger/rows/planned-rows.ts';
import type { OpenRun } from '../open-run.ts';

/**
 * Adds an entry to the history for the whole run. Then the run may send.
 *
 * @param workedMs time that the run has taken so far
 * @param adjust changes rows before the first of them is sent
 */
export async function beginSending(
  { journal, target }: OpenRun,
  rows: number,
  workedMs: number,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
  adjust?: (planned: PlannedRows) => void,
): Promise<void> {
  const keyMark = (await ports.store.scope()).markOf(journal.header.run);
  const firstSentAt = ports.self.clock.now();
  const entry = await beginEntry(journal, target, rows, ports);
  await journal.begin('begin', { facts: { workedMs, firstSentAt, keyMark }, entry, adjust });
}
