import type { Ports } from '../../../core/ports.ts';
import type { RecordResult } from '../../../core/result.ts';
import { Journal } from '../../ledger/journal.ts';
import { lockImport } from '../../ledger/processes/import-lock.ts';
import { recordEnd } from '../../ledger/record-run.ts';
import { summary } from '../../ledger/run-summary.ts';
import { conclude } from '../../report/conclude.ts';
import { resumeCommand } from '../../report/next-command.ts';
import { isSameBoot } from '../../send/run-clock.ts';
import type { ResolveFlags } from './decision.ts';
import type { Resolving } from './preview-decision.ts';

/**
 * Opens the journal of a run under its lock, for decisions about its unconfirmed rows.
 *
 * @param work records the decisions
 * @returns the summary of the run afterwards; the result is a failure only if rows stay unconfirmed
 */
export async function withRun(
  { folder, path, header: { run, noun, baseUrl, organization } }: Resolving,
  { waitLock = 0 }: ResolveFlags,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
  work: (journal: Journal) => Promise<void>,
): Promise<RecordResult> {
  const { clock, signal } = ports.self;
  const lock = await lockImport(
    { folder, noun, baseUrl, organization },
    { clock, signal, waitMs: waitLock, run },
  );
  let journal: Journal | undefined;
  try {
    journal = Journal.open(path);
    journal.interrupt(isSameBoot(clock, journal));
    await work(journal);
    const { failure, ...result } = await conclude(journal, undefined, ports);
    await recordEnd(journal, undefined, ports);
    return summary(journal).counts.unknown > 0 ? { ...result, failure } : result;
  } finally {
    journal?.close();
    lock.release();
  }
}

export function sayHowToResend(journal: Journal, ports: Ports<'io' | 'self'>): void {
  if (journal.counts().pending === 0) return;
  const text = `to send these rows again, run: ${resumeCommand(journal, ports)}`;
  ports.io.say({ kind: 'notice', text });
}
