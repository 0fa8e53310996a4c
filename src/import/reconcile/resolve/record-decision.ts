import type { Ports } from '../../../core/ports.ts';
import { problemIn } from '../../../core/problem/row-problem.ts';
import type { Facts } from '../../ledger/facts.ts';
import type { Journal } from '../../ledger/journal.ts';
import type { Unconfirmed } from '../../ledger/rows/unconfirmed-rows.ts';
import { answerEarlier } from '../../ledger/sent/answer-earlier.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import type { Decision } from './decision.ts';

export interface Decided {
  readonly row: Unconfirmed;
  readonly decision: Decision;
}

/**
 * Writes all decisions of a person, or none. If a row inherited an unconfirmed write, also records
 * the decision in the earlier run or command.
 *
 * @param facts to write in the same transaction
 */
export async function recordDecisions(
  journal: Journal,
  { create }: ImportTarget,
  decided: readonly Decided[],
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
  facts: Partial<Facts> = {},
): Promise<void> {
  const isResent = decided.some(({ decision }) => decision.kind === 'resend');
  // First: a kill before the decisions are recorded leaves a run whose rows a resume looks up.
  if (isResent) journal.advance('reopen');
  journal.commit(() => {
    for (const { row, decision } of decided) {
      if (decision.kind === 'adopt')
        journal.apply(row.row, 'resolve', 'created', { id: decision.id });
      else if (decision.kind === 'resend') journal.apply(row.row, 'resolve', 'pending');
      else {
        const reason = row.reason === null ? null : problemIn(row.reason);
        journal.apply(row.row, 'resolve', 'dropped', { reason });
      }
    }
    journal.setAll(facts);
  });
  if (decided.some(({ row }) => row.fingerprint !== null)) {
    await answerEarlier(journal, create, decided, ports);
  }
}
