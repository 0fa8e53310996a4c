import { ProcError } from '../../core/errors.ts';
import { inShell } from '../../core/text/typed.ts';
import type { Journal } from '../ledger/journal.ts';
import { summary } from '../ledger/run-summary.ts';
import { receivedInPart } from './refuse-received.ts';

/**
 * A staged run can be exported until it begins to send. It can be approved until nothing is left to
 * do: rows that are sent again may need new approvals.
 *
 * @throws ProcError `invalid_usage`
 */
export function requireStaged(journal: Journal, whatFor: 'approved' | 'exported'): void {
  const { header, phase } = journal;
  if (phase === 'staged') return;
  const isSent = header.isStaged === true && journal.get('sealed') !== undefined;
  const isApprovable = whatFor === 'approved' && isSent;
  if (isApprovable && summary(journal).left !== 'nothing') return;
  if (summary(journal).left === 'receive') throw receivedInPart(header);
  const { run } = header;
  const sent = whatFor === 'approved' ? 'has been sent' : 'has begun to send';
  const why = isSent ? sent : 'was not staged';
  throw new ProcError('invalid_usage', `${run} ${why}, so it cannot be ${whatFor}`, {
    hint: isSent
      ? `See it: proc imports show ${inShell(run)}`
      : 'Stage an import with proc <noun> import FILE --stage',
    details: { run },
  });
}
