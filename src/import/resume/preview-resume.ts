import type { Ports } from '../../core/ports.ts';
import type { Result } from '../../core/result.ts';
import { importRunMessages } from '../../messages/import-run.ts';
import { Journal } from '../ledger/journal.ts';
import { journalFailure } from '../ledger/ledger-failure.ts';
import { summary } from '../ledger/run-summary.ts';

/**
 * The result of `--dry-run`: what a resume would do. Makes no request.
 *
 * @param check throws if the real command would refuse the run, as far as proc knows that without a
 * request
 */
export async function previewResume(
  path: string,
  ports: Ports<'io'>,
  check: (journal: Journal) => Promise<unknown> = async () => undefined,
): Promise<Result> {
  const { labels } = importRunMessages[await ports.io.lang()];
  const journal = Journal.open(path, true);
  try {
    await check(journal);
    const { run, source, isStaged } = journal.header;
    const value = { dryRun: true, run, source: source.name };
    if (journal.phase === 'staging') {
      const text = `The run stopped while it was reading ${source.name}, and nothing was sent. If you resume it, proc reads the file again, makes the plan and ${isStaged === true ? 'saves it' : 'asks for confirmation'}`;
      ports.io.say({ kind: 'notice', text });
      return { kind: 'record', labels, value: { ...value, readAnew: source.path } };
    }
    const { pending, unknown, ...counts } = summary(journal).counts;
    const toDo = { toSend: pending, toLookUp: unknown };
    return { kind: 'record', labels, value: { ...value, ...counts, ...toDo } };
  } catch (thrown) {
    throw journalFailure(path, thrown);
  } finally {
    journal.close();
  }
}
