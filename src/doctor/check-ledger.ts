import { ProcError } from '../core/errors.ts';
import type { SelfPort } from '../core/ports.ts';
import { inShell } from '../core/text/typed.ts';
import { problemOf } from '../ledger/ledger-locks.ts';
import { ledgerFolder, sharedLocks } from '../ledger/open-ledger.ts';
import { type Check, ok, problem } from './check.ts';

/**
 * @param accepted the timeline of `--accept-ledger`
 * @throws ProcError `invalid_usage`
 */
export async function checkLedger(
  self: Pick<SelfPort, 'env' | 'flags' | 'cwd'>,
  accepted: string | undefined,
  isPreview: boolean,
): Promise<readonly Check[]> {
  const locks = sharedLocks(ledgerFolder(self));
  if (locks === undefined) {
    if (accepted === undefined) return [];
    throw new ProcError('invalid_usage', '--accept-ledger: this command uses no shared ledger', {
      hint: 'Set PROC_LEDGER, and select a service that is not on loopback',
    });
  }
  try {
    const found = await locks.durability();
    if (accepted === undefined) {
      const error = problemOf(found);
      return [
        error === undefined ? ok('ledger', `timeline ${found.timeline}`) : problem('ledger', error),
      ];
    }
    if (accepted !== found.timeline) {
      throw new ProcError(
        'invalid_usage',
        `--accept-ledger: the ledger is on the timeline ${found.timeline}, not ${accepted}`,
        { hint: `Run: proc doctor --accept-ledger ${inShell(found.timeline)}` },
      );
    }
    if (!isPreview) await locks.accept(accepted);
    return [ok('ledger', `timeline ${accepted} ${isPreview ? 'would be' : 'is'} accepted`)];
  } catch (thrown) {
    if (thrown instanceof ProcError && thrown.code !== 'invalid_usage')
      return [problem('ledger', thrown)];
    throw thrown;
  }
}
