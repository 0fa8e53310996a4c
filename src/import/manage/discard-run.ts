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
import { lockImport } from '../ledger/processes/import-lock.ts';
import { summary } from '../ledger/run-summary.ts';
import { findRun, importsFolder, journalPath, removeRun } from '../ledger/runs.ts';
import { resolveCommand } from '../report/next-command.ts';
import { rowsIn } from '../report/words.ts';
import { removeSpool } from '../source/remove-spool.ts';

/** Applying the plan fails if another process works on the run. */
export async function planDiscard(
  typed: string,
  ports: Ports<'io' | 'ask' | 'store' | 'self'>,
): Promise<LocalPlan> {
  const folder = importsFolder(ports.self.env);
  const run = findRun(folder, typed);
  const { header, sent, unconfirmed } = aboutDiscarding(folder, run);
  return {
    async would() {
      const { labels } = importRunMessages[await ports.io.lang()];
      return { kind: 'record', idField: 'run', labels, value: { run, sent, inDoubt: unconfirmed } };
    },
    async apply() {
      const { clock, signal } = ports.self;
      const lock =
        header === undefined
          ? undefined
          : await lockImport({ folder, ...header }, { clock, signal, run, verb: 'discard' });
      try {
        return await discarded(folder, run, ports);
      } finally {
        lock?.release();
      }
    },
  };
}

async function discarded(
  folder: string,
  run: string,
  ports: Ports<'io' | 'ask' | 'store' | 'self'>,
): Promise<Result> {
  // Read again under the lock: another process may have changed the run in the meantime.
  const { header, sent, unconfirmed, spool } = aboutDiscarding(folder, run);
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
          hint: `Record the outcome of ${unconfirmed === 1 ? 'this row' : 'these rows'} first: ${resolveCommand({ header, phase: 'sending' }, ports)}. To discard the run anyway, add --yes`,
        },
    ports,
  );
  if (unconfirmed > 0) {
    ports.io.say({
      kind: 'warning',
      text: `discarded ${lost}: ${unconfirmed === 1 ? 'its' : 'their'} outcome stays unknown`,
    });
  }
  removeRun(folder, run);
  if (spool !== undefined) removeSpool({ path: spool }, folder);
  return { kind: 'record', idField: 'run', value: { run, discarded: true } };
}

/** A run with a damaged journal counts as empty, so that it can be discarded too. */
function aboutDiscarding(
  folder: string,
  run: string,
): {
  readonly sent: number;
  readonly unconfirmed: number;
  readonly spool: string | undefined;
  readonly header: RunHeader | undefined;
} {
  let journal: Journal | undefined;
  try {
    journal = Journal.open(journalPath(folder, run), true);
    const { created, unknown } = summary(journal).counts;
    const { header } = journal;
    return { sent: created + unknown, unconfirmed: unknown, spool: header.source.path, header };
  } catch (thrown) {
    const failure = journalFailure(run, thrown);
    if (failure instanceof ProcError)
      return { sent: 0, unconfirmed: 0, spool: undefined, header: undefined };
    throw failure;
  } finally {
    journal?.close();
  }
}
