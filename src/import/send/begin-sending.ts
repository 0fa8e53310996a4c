import type { Ports } from '../../core/ports.ts';
import { recordBegin } from '../ledger/record-run.ts';
import { forgetSent, noteSent } from '../ledger/sent/sent-before.ts';
import type { OpenRun } from '../open-run.ts';

/**
 * Records that a run will send, before its first request can leave.
 *
 * @param workedMs spent on it so far
 */
export async function beginSending(
  { journal, target }: OpenRun,
  rows: number,
  workedMs: number,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<void> {
  await recordBegin(journal, target, rows, ports);
  const scope = await ports.store.scope();
  if (target.listing === undefined) await noteSent(journal, ports);
  try {
    journal.note({
      phase: 'sending',
      workedMs,
      keyMark: scope.markOf(journal.header.run),
      firstSentAt: ports.self.clock.now(),
    });
  } catch (thrown) {
    if (target.listing === undefined) await forgetSent(journal, ports);
    throw thrown;
  }
}
