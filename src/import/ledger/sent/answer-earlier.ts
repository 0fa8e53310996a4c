import type { Ports } from '../../../core/ports.ts';
import { HISTORY } from '../../../history/store.ts';
import type { Place } from '../../../ledger/port.ts';
import type { Journal } from '../journal.ts';
import { scopeOfRun } from '../record-run.ts';
import { unconfirmedBefore } from './sent-before.ts';

interface Decided {
  readonly row: {
    readonly row: number;
    readonly fingerprint: string | null;
    readonly sent_at: number | null;
  };
  readonly decision:
    | { readonly kind: 'adopt'; readonly id: string }
    | { readonly kind: 'resend' | 'drop' };
}

/**
 * Records the decision about an inherited row in the earlier run or command too. Otherwise the
 * earlier run would still count its row as unconfirmed.
 */
export async function answerEarlier(
  journal: Journal,
  decided: readonly Decided[],
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<void> {
  const { run } = journal.header;
  const history = await ports.store.open(HISTORY);
  const sentRows = history.sentRows(await scopeOfRun(journal, ports));
  const links: { from: Place; to: Place | undefined }[] = [];
  const entries = new Map<string, Decided['decision']>();
  const taken = new Set<string>();
  const fingerprints = decided.flatMap(({ row }) => row.fingerprint ?? []);
  const before = await unconfirmedBefore(fingerprints, run, sentRows);
  for (const { row: one, decision } of decided) {
    const { row, fingerprint, sent_at: sentAt } = one;
    if (fingerprint === null || sentAt !== null) continue;
    // If equal rows were sent several times, each decision belongs to a different earlier write.
    const earlier = before(fingerprint).find(({ at }) => !taken.has(JSON.stringify(at)));
    if (earlier === undefined) continue;
    taken.add(JSON.stringify(earlier.at));
    if (typeof earlier.at === 'string') entries.set(earlier.at, decision);
    else links.push({ from: earlier.at, to: { run, row } });
  }
  for (const { row } of decided) {
    if (row.sent_at !== null) links.push({ from: { run, row: row.row }, to: undefined });
  }
  await sentRows.link(links);
  for (const [entry, decision] of entries) {
    if (decision.kind === 'drop') continue;
    const id = decision.kind === 'adopt' ? decision.id : undefined;
    await history.resolve(entry, id, ports.self.clock.now());
  }
}
