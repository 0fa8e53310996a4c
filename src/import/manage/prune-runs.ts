import { existsSync } from 'node:fs';
import type { LocalPlan } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { bulkMessages } from '../../messages/bulk.ts';
import { confirmChange } from '../../terminal/confirm-change.ts';
import type { RunHeader } from '../ledger/header.ts';
import { Journal } from '../ledger/journal.ts';
import { removeLeftovers } from '../ledger/processes/inputs.ts';
import type { RunState } from '../ledger/run-summary.ts';
import { summary } from '../ledger/run-summary.ts';
import { eachRun, importsFolder, journalPath, runNames } from '../ledger/runs.ts';
import { rowsIn } from '../report/words.ts';
import { withRemovable } from '../with-run.ts';

/**
 * Removes old finished runs, and files that killed imports left behind.
 *
 * @param before removes runs started before this time, ms since the epoch
 */
export async function planPrune(
  before: number,
  ports: Ports<'io' | 'ask' | 'store' | 'self'>,
): Promise<LocalPlan> {
  const folder = importsFolder(ports.self);
  const isOld = (run: RunState) =>
    run.isElsewhere !== true &&
    summary(run).left === 'nothing' &&
    Date.parse(run.header.startedAt) <= before;
  const old = await eachRun(folder, (run) => (isOld(run) ? run.header : undefined));
  return {
    would: async () => ({
      kind: 'record',
      value: { wouldRemove: old.length, kept: (await runNames(folder)).length },
    }),
    async apply() {
      let removed = 0;
      if (old.length > 0) {
        const words = bulkMessages[await ports.io.lang()];
        const change = {
          question: async () => words.prune(old.length),
          what: `remove ${rowsIn(old.length, 'finished run')}`,
        };
        await confirmChange(change, ports);
        for (const header of old) if (await isRemoved(header, folder, isOld, ports)) removed++;
      }
      if (removed < old.length) {
        const text = `${rowsIn(old.length - removed, 'run was', 'runs were')} not removed: another command works on ${old.length - removed === 1 ? 'it' : 'them'}`;
        ports.io.say({ kind: 'notice', text });
      }
      if (existsSync(folder)) await removeLeftovers(folder);
      return { kind: 'record', value: { removed, kept: (await runNames(folder)).length } };
    },
  };
}

/** Another process may resume or discard the run meanwhile, so it is read again under its lock. */
async function isRemoved(
  header: RunHeader,
  folder: string,
  isOld: (run: RunState) => boolean,
  ports: Ports<'self'>,
): Promise<boolean> {
  const { run } = header;
  const path = journalPath(folder, run);
  try {
    return await withRemovable({ folder, path, run, header }, ports, async (remove) => {
      const journal = await Journal.read(path);
      const isStillOld = isOld(journal);
      journal.close();
      if (isStillOld) await remove();
      return isStillOld;
    });
  } catch (thrown) {
    const isBusy = thrown instanceof ProcError && thrown.code === 'import_busy';
    if (isBusy || (thrown instanceof ProcError && thrown.code === 'reference_not_found'))
      return false;
    throw thrown;
  }
}
