import { basename, dirname } from 'node:path';
import type { LocalPlan } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Result } from '../../core/result.ts';
import { bulkMessages } from '../../messages/bulk.ts';
import { importRunMessages } from '../../messages/import-run.ts';
import { confirmChange } from '../../terminal/confirm-change.ts';
import type { RunHeader } from '../ledger/header.ts';
import { Journal } from '../ledger/journal.ts';
import { journalFailure } from '../ledger/ledger-failure.ts';
import { summary } from '../ledger/run-summary.ts';
import { findElsewhere, findRun, headerOfRun, importsFolder, journalPath } from '../ledger/runs.ts';
import { resolveCommand } from '../report/next-command.ts';
import { rowsIn } from '../report/words.ts';
import { removeSpool } from '../source/bytes/spool.ts';
import { withRemovable } from '../with-run.ts';

/** Applying the plan fails if another process works on the run. */
export async function planDiscard(
  typed: string,
  ports: Ports<'io' | 'ask' | 'store' | 'self'>,
): Promise<LocalPlan> {
  const folder = importsFolder(ports.self);
  const run = await findRun(folder, typed);
  const path = journalPath(folder, run);
  return {
    async would() {
      const { sent, unconfirmed } = await aboutDiscarding(path);
      const { labels } = importRunMessages[await ports.io.lang()];
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
  const words = bulkMessages[await ports.io.lang()];
  const lost = rowsIn(unconfirmed, 'unconfirmed row');
  const question = async () =>
    words.discard(run, header === undefined ? undefined : sent, unconfirmed);
  await confirmChange(
    // A run with a damaged journal has no header, and counts no unconfirmed rows.
    header === undefined || unconfirmed === 0
      ? { question, what: `discard ${run}` }
      : {
          question,
          what: `discard ${run} with ${lost}`,
          hint: `Record the outcome of ${unconfirmed === 1 ? 'this row' : 'these rows'} first: ${resolveCommand(header, ports)}. To discard the run anyway, add --yes`,
        },
    ports,
  );
  if (unconfirmed > 0) {
    ports.io.say({
      kind: 'warning',
      text: words.discarded(unconfirmed),
    });
  }
  await remove();
  if (header !== undefined) removeSpool(header.source, folder);
  return { kind: 'record', idField: 'run', value: { run, discarded: true } };
}

/** A run with a damaged journal counts as empty, so that it can be discarded too. */
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
  let journal: Journal | undefined;
  try {
    journal = await Journal.read(path);
    const { created, unconfirmed } = summary(journal).counts;
    return { sent: created + unconfirmed, unconfirmed, header: journal.header };
  } catch (thrown) {
    const failure = journalFailure(path, thrown);
    if (!(failure instanceof ProcError) || failure.code === 'reference_not_found') throw failure;
    return { sent: 0, unconfirmed: 0, header: undefined };
  } finally {
    journal?.close();
  }
}
