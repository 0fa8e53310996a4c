import { existsSync } from 'node:fs';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Result } from '../../core/result.ts';
import { confirmChange } from '../../terminal/confirm-change.ts';
import { rowsIn } from '../report/words.ts';
import type { RunHeader } from '../store/facts.ts';
import { Run } from '../store/run-file.ts';
import { type RunState, summary } from '../store/run-summary.ts';
import { eachRun, importsFolder, runNames, runPath } from '../store/runs.ts';
import { withRemovable } from '../with-run.ts';
import { removeLeftovers } from '../workplace.ts';

/**
 * Removes old finished runs, and files that killed imports left behind.
 *
 * @param before removes runs started before this time, ms since the epoch
 */
export async function prune(
  before: number,
  ports: Ports<'io' | 'ask' | 'store' | 'self'>,
): Promise<Result> {
  const folder = importsFolder(ports.self);
  const isOld = (run: RunState) =>
    run.isElsewhere !== true &&
    summary(run).left === 'nothing' &&
    Date.parse(run.header.startedAt) <= before;
  const old = await eachRun(folder, (run) => (isOld(run) ? run.header : undefined));
  if (ports.self.flags.dryRun) {
    if (ports.io.terminal.stderrIsTerminal)
      ports.io.say({ kind: 'notice', text: 'Dry run: nothing was changed.' });
    const kept = (await runNames(folder)).length;
    return { kind: 'record', value: { dryRun: true, wouldRemove: old.length, kept } };
  }
  let removed = 0;
  if (old.length > 0) {
    const change = {
      question: async () =>
        old.length === 1 ? 'Remove 1 finished run?' : `Remove ${old.length} finished runs?`,
      what: `remove ${rowsIn(old.length, 'finished run')}`,
    };
    await confirmChange(change, ports);
    for (const header of old) if (await isRemoved(header, folder, isOld, ports)) removed++;
  }
  if (removed < old.length) {
    const left = old.length - removed;
    const text = `${rowsIn(left, 'run was', 'runs were')} not removed: another command works on ${left === 1 ? 'it' : 'them'}`;
    ports.io.say({ kind: 'notice', text });
  }
  if (existsSync(folder)) await removeLeftovers(folder, ports.self);
  return { kind: 'record', value: { removed, kept: (await runNames(folder)).length } };
}

/** Another process may resume or remove the run meanwhile, so it is read again under its lock. */
async function isRemoved(
  header: RunHeader,
  folder: string,
  isOld: (run: RunState) => boolean,
  ports: Ports<'self'>,
): Promise<boolean> {
  const { run } = header;
  const path = runPath(folder, run);
  try {
    return await withRemovable({ folder, path, header }, ports, async (remove) => {
      const run = await Run.read(path);
      const isStillOld = isOld(run);
      run.close();
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
