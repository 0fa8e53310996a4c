import { existsSync } from 'node:fs';
import type { LocalPlan } from '../../core/command.ts';
import type { Ports } from '../../core/ports.ts';
import { bulkMessages } from '../../messages/bulk.ts';
import { confirmChange } from '../../terminal/confirm-change.ts';
import { removeLeftovers } from '../ledger/processes/inputs.ts';
import { summary } from '../ledger/run-summary.ts';
import { eachRun, importsFolder, removeRun, runNames } from '../ledger/runs.ts';
import { rowsIn } from '../report/words.ts';

/**
 * Removes old finished runs, and files that killed imports left behind.
 *
 * @param before removes runs started before this time, ms since the epoch
 */
export async function planPrune(
  before: number,
  ports: Ports<'io' | 'ask' | 'store' | 'self'>,
): Promise<LocalPlan> {
  const folder = importsFolder(ports.self.env);
  const old = eachRun(folder, (journal) =>
    summary(journal).left === 'nothing' && Date.parse(journal.header.startedAt) <= before
      ? journal.header.run
      : undefined,
  );
  return {
    would: () => ({
      kind: 'record',
      value: { wouldRemove: old.length, kept: runNames(folder).length },
    }),
    async apply() {
      if (old.length > 0) {
        const words = bulkMessages[await ports.io.lang()];
        const change = {
          question: async () => words.prune(old.length),
          what: `remove ${rowsIn(old.length, 'finished run')}`,
        };
        await confirmChange(change, ports);
        for (const run of old) removeRun(folder, run);
      }
      if (existsSync(folder)) removeLeftovers(folder);
      return {
        kind: 'record',
        value: { removed: old.length, kept: runNames(folder).length },
      };
    },
  };
}
