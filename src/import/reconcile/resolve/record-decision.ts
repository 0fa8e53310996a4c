import type { Ports } from '../../../core/ports.ts';
import { enterLedger } from '../../ledger/enter-ledger.ts';
import type { Journal } from '../../ledger/journal.ts';
import type { Unconfirmed } from '../../ledger/rows/unconfirmed-rows.ts';
import { answerEarlier } from '../../ledger/sent/answer-earlier.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import type { Decision } from './decision.ts';

/** Writes a person's decision about rows to this run and to every run where they are unconfirmed. */
export async function recordDecision(
  journal: Journal,
  { create }: ImportTarget,
  rows: readonly Unconfirmed[],
  decision: Decision,
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<void> {
  // There is something to do again, and `imports resume` does it.
  if (decision.kind === 'resend' && !journal.isEntered) {
    await enterLedger(journal, { phase: 'sending' }, ports);
  }
  journal.commit(() => {
    for (const { row, reason } of rows) {
      if (decision.kind === 'adopt') journal.apply(row, 'resolve', 'created', { id: decision.id });
      else if (decision.kind === 'resend') journal.apply(row, 'resolve', 'pending');
      else journal.apply(row, 'resolve', 'dropped', { reason });
    }
    if (decision.kind === 'resend') journal.set('phase', 'sending');
  });
  if (rows.some(({ fingerprint }) => fingerprint !== null)) {
    await answerEarlier(journal, create, rows, decision, ports);
  }
}
