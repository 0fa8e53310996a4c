import type { Ports } from '../../core/ports.ts';
import type { RecordResult } from '../../core/result.ts';
import { importRunMessages } from '../../messages/import-run.ts';
import type { Journal } from '../ledger/journal.ts';
import { summary } from '../ledger/run-summary.ts';
import { NEXT } from '../phases.ts';
import { progressFor } from '../report/progress.ts';
import type { RunOptions } from '../run-options.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import { previewPending } from './created-meanwhile.ts';

/** For a run that has sent nothing: its rows are checked when the run is planned or sent. */
const NOT_CHECKED = { existing: 0, refusal: undefined };

/**
 * What a resume would do. Sends nothing, but checks pending rows again.
 */
export async function previewResume(
  journal: Journal,
  target: ImportTarget,
  options: RunOptions,
  ports: Ports<'io' | 'api' | 'ask' | 'store' | 'self'>,
): Promise<RecordResult> {
  const { labels } = importRunMessages[await ports.io.lang()];
  const { run, source, isStaged } = journal.header;
  const value = { dryRun: true, run, source: source.name };
  if (NEXT[journal.phase].resume === 'read') {
    const text = `Nothing was sent: the run stopped while proc was reading ${source.name}. Resuming reads the file again, makes the plan and ${isStaged === true ? 'saves it' : 'asks for confirmation'}`;
    ports.io.say({ kind: 'notice', text });
    return { kind: 'record', labels, value: { ...value, readAnew: source.path } };
  }
  const { pending, unknown, ...counts } = summary(journal).counts;
  const checked = { journal, target, options, progress: progressFor(ports, undefined) };
  const { existing, refusal } = journal.isSent ? await previewPending(checked, ports) : NOT_CHECKED;
  const toDo = {
    existing: counts.existing + existing,
    toSend: pending - existing,
    toLookUp: unknown,
    ...(refusal === undefined ? {} : { refused: refusal.message }),
  };
  return { kind: 'record', labels, value: { ...value, ...counts, ...toDo }, failure: refusal };
}
