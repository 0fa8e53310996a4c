import type { Ports } from '../../core/ports.ts';
import { enterLedger } from '../ledger/enter-ledger.ts';
import { recordBegin } from '../ledger/record-run.ts';
import type { PlannedRows } from '../ledger/rows/planned-rows.ts';
import type { OpenRun } from '../open-run.ts';

/**
 * Records in the history and the journal that the run begins to send.
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
  await recordBegin(journal, target, rows, ports);
  const keyMark = (await ports.store.scope()).markOf(journal.header.run);
  const firstSentAt = ports.self.clock.now();
  const facts = { phase: 'sending' as const, workedMs, firstSentAt };
  const all = keyMark === undefined ? facts : { ...facts, keyMark };
  await enterLedger(journal, all, ports, adjust);
}
