import { ProcError } from '../../core/errors.ts';
import { inShell } from '../../core/text/typed.ts';
import type { Journal } from '../ledger/journal.ts';

/**
 * Only a staged run that has not begun to send can be approved or exported.
 *
 * @throws ProcError `invalid_usage`
 */
export function requireStaged({ header, phase }: Journal, whatFor: 'approved' | 'exported'): void {
  if (phase === 'staged') return;
  const { run } = header;
  const isSent = header.isStaged === true;
  const why = isSent ? 'has begun to send' : 'was not staged';
  throw new ProcError('invalid_usage', `${run} ${why}, so it cannot be ${whatFor}`, {
    hint: isSent
      ? `See it: proc imports show ${inShell(run)}`
      : 'Stage an import with proc <noun> import FILE --stage',
    details: { run },
  });
}
