import type { Ports } from '../../core/ports.ts';
import { enterLedger } from '../ledger/enter-ledger.ts';
import { beginEntry } from '../ledger/record-run.ts';
import type { PlannedRows } from '../ledger/rows/planned-rows.ts';
import type { OpenRun } from '../open-run.ts';

/**
 * Moves the rows into the ledger, with an entry of the history for the whole run. Then the run may
 * send.
 *
 * @param workedMs time that the run has taken so far
 * @param adjust changes the rows in the ledger before the run may send
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
  const facts = { workedMs, firstSentAt, ...(keyMark === undefined ? {} : { keyMark }) };
  const record = await beginEntry(journal, target, rows, ports);
  await enterLedger(journal, 'begin', { facts, adjust, record }, ports);
}
