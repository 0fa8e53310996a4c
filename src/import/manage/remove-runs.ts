import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { LocalPlan } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Result } from '../../core/result.ts';
import { bulkMessages } from '../../messages/bulk.ts';
import { countedWord } from '../../messages/import-nouns.ts';
import { importRunMessages } from '../../messages/import-run.ts';
import { confirmChange } from '../../terminal/confirm-change.ts';
import { runCommand } from '../report/next-steps.ts';
import { countedIn, rowsIn } from '../report/words.ts';
import { removeSpool } from '../source/bytes/spool.ts';
import type { RunHeader } from '../store/facts.ts';
import { Run } from '../store/run-file.ts';
import { type RunState, summary } from '../store/run-summary.ts';
import {
  eachRun,
  findElsewhere,
  findRun,
  headerOfRun,
  importsFolder,
  runNames,
  runPath,
} from '../store/runs.ts';
import { withRemovable } from '../with-run.ts';
import { removeLeftovers } from '../workplace.ts';

/** Applying the plan fails if another process works on the run. */
export async function planDiscard(
  typed: string,
  ports: Ports<'io' | 'ask' | 'store' | 'self'>,
): Promise<LocalPlan> {
  const folder = importsFolder(ports.self);
  const run = await findRun(folder, typed);
  const path = runPath(folder, run);
  return {
    async would() {
      const { sent, unconfirmed } = await aboutDiscarding(path);
      const { labels } = importRunMessages;
      return { kind: 'record', idField: 'run', labels, value: { run, sent, unconfirmed } };
    },
    async apply() {
      const removable = { folder, path, run, header: await headerOfRun(folder, run) };
      return withRemovable(removable, ports, (remove) => discarded(removable, remove, ports));
    },
  };
}

async function discarded(
  { folder, path, run }: { readonly folder: string; readonly path: string; readonly run: string },
  remove: () => Promise<void>,
  ports: Ports<'io' | 'ask' | 'store' | 'self'>,
): Promise<Result> {
  const { header, sent, unconfirmed } = await aboutDiscarding(path);
  const words = bulkMessages;
  const of = header === undefined ? 'rows' : countedIn(header);
  const lost = rowsIn(unconfirmed, `unconfirmed ${countedWord(1, of)}`);
  const question = async () =>
    words.discard(run, header === undefined ? undefined : sent, unconfirmed, of);
  await confirmChange(
    // A run with a damaged file has no header, and counts no unconfirmed rows.
    header === undefined || unconfirmed === 0
      ? { question, what: `discard ${run}` }
      : {
          question,
          what: `discard ${run} with ${lost}`,
          hint: `Record the outcome of ${unconfirmed === 1 ? 'this' : 'these'} ${countedWord(unconfirmed, of)} first: ${runCommand('resolve', header, ports)}. To discard the run anyway, add --yes`,
        },
    ports,
  );
  if (unconfirmed > 0) {
    ports.io.say({
      kind: 'warning',
      text: words.discarded(unconfirmed, of),
    });
  }
  await remove();
  if (header !== undefined) removeSpool(header.source, folder);
  return { kind: 'record', idField: 'run', value: { run, discarded: true } };
}

/** A run with a damaged file counts as empty, so that it can be discarded too. */
async function aboutDiscarding(path: string): Promise<{
  readonly sent: number;
  readonly unconfirmed: number;
  readonly header: RunHeader | undefined;
}> {
  const there = await findElsewhere(dirname(path), basename(path, '.db'));
  if (there !== undefined) {
    const { created, unconfirmed } = summary(there).counts;
    return { sent: created + unconfirmed, unconfirmed, header: there.header };
  }
  let run: Run | undefined;
  try {
    run = await Run.read(path);
    const { created, unconfirmed } = summary(run).counts;
    return { sent: created + unconfirmed, unconfirmed, header: run.header };
  } catch (thrown) {
    if (!(thrown instanceof ProcError) || thrown.code === 'reference_not_found') throw thrown;
    return { sent: 0, unconfirmed: 0, header: undefined };
  } finally {
    run?.close();
  }
}

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
        const words = bulkMessages;
        const change = {
          question: async () => words.prune(old.length),
          what: `remove ${rowsIn(old.length, 'finished run')}`,
        };
        await confirmChange(change, ports);
        for (const header of old) if (await isRemoved(header, folder, isOld, ports)) removed++;
      }
      if (removed < old.length) {
        const words = bulkMessages;
        ports.io.say({ kind: 'notice', text: words.notPruned(old.length - removed) });
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
  const path = runPath(folder, run);
  try {
    return await withRemovable({ folder, path, run, header }, ports, async (remove) => {
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
