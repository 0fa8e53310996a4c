import type { Context } from '../../../core/command.ts';
import type { Journal } from '../../ledger/journal.ts';
import { handOn } from '../../ledger/sent/answer-earlier.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import type { Decision } from './decision.ts';
import type { Unconfirmed } from './unconfirmed.ts';

/** Writes what a person said of rows, here and wherever else these rows are unconfirmed. */
export async function recordDecision(
  journal: Journal,
  { create }: ImportTarget,
  rows: readonly Unconfirmed[],
  decision: Decision,
  ctx: Context,
): Promise<void> {
  const update = journal.database.prepare(
    "UPDATE rows SET state = ?, id = ?, reason = ?, looked_up = 0 WHERE row = ? AND state IN ('unknown', 'sent')",
  );
  journal.commit(() => {
    for (const { row, reason } of rows) {
      if (decision.kind === 'adopt') update.run('created', decision.id, null, row);
      else if (decision.kind === 'resend') update.run('pending', null, null, row);
      else update.run('dropped', null, reason, row);
    }
    // There is something to do again, and `imports resume` does it.
    if (decision.kind === 'resend') journal.set('phase', 'sending');
  });
  if (rows.some(({ fingerprint }) => fingerprint !== null)) {
    await handOn(journal, create, rows, decision, ctx);
  }
}
