import type { Ports } from '../../../core/ports.ts';
import { Journal } from '../journal.ts';
import type { RepairedRow } from '../rows/reported-rows.ts';
import { scopeOfRun } from '../run-ownership.ts';
import { eachRun, importsFolder, journalPath } from '../runs.ts';

/**
 * Rows that an earlier run of the same source has rejected, and that were imported once they were repaired, exist: the
 * source still has them as they were. With `--on-sent send`, they are not compared.
 *
 * @param isListed whether the list shows the records. It may have them under other codes than the source
 */
export async function applyRepairs(
  journal: Journal,
  isListed: boolean,
  ports: Ports<'store' | 'self'>,
): Promise<void> {
  const { header } = journal;
  if (header.choices.onSent === 'send') return;
  const scope = await scopeOfRun(journal, ports);
  const folder = importsFolder(ports.self);
  const runs = await eachRun(folder, (run) => {
    const { noun, source } = run.header;
    const isSame = noun === header.noun && source.hash === header.source.hash;
    if (!isSame || run.isElsewhere === true || run.header.run === header.run) return undefined;
    return run.countRepaired() > 0 && scope.ownershipOf(run.header) === 'ours'
      ? run.header.run
      : undefined;
  });
  for (const run of runs) {
    const earlier = await Journal.read(journalPath(folder, run));
    try {
      settle(journal, earlier.rows.reported.repaired(), isListed);
    } finally {
      earlier.close();
    }
  }
}

function settle(journal: Journal, repaired: Iterable<RepairedRow>, isListed: boolean): void {
  journal.commit(() => {
    for (const { row, id, run, record } of repaired) {
      const now = journal.rows.reported.stagedAs(row);
      // Other options may read other rows from the same file.
      if (now === undefined || record === null || (now.fields ?? now.body) !== record) continue;
      const reason = { code: 'sent_before', args: { by: { run }, outcome: 'created' } } as const;
      journal.rows.apply(row, 'settle', 'existing', { id: isListed ? null : id, reason });
    }
  });
}
