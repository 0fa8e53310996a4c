import type { Ports } from '../../../core/ports.ts';
import type { Place } from '../../../history/sent-rows.ts';
import { HISTORY } from '../../../history/store.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import type { Journal } from '../journal.ts';
import { scopeOfRun } from '../run-ownership.ts';
import { marksOf, unconfirmedBefore } from './sent-before.ts';

interface Decided {
  readonly row: {
    readonly row: number;
    readonly fingerprint: string | null;
    readonly body: string;
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
  create: ImportTarget['create'],
  decided: readonly Decided[],
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<void> {
  const { run } = journal.header;
  const history = await ports.store.open(HISTORY);
  const sentRows = history.sentRows(await scopeOfRun(journal, ports));
  const inherited: { from: Place; to: Place }[] = [];
  const entries = new Map<string, Decided['decision']>();
  const taken = new Set<string>();
  for (const { row: one, decision } of decided) {
    const { row, fingerprint, body, sent_at: sentAt } = one;
    if (fingerprint === null || sentAt !== null) continue;
    // If equal rows were sent several times, each decision belongs to a different earlier write.
    const marks = marksOf(create, fingerprint, body);
    const earlier = unconfirmedBefore(marks, run, sentRows).find(
      ({ at }) => !taken.has(JSON.stringify(at)),
    );
    if (earlier === undefined) continue;
    taken.add(JSON.stringify(earlier.at));
    if (typeof earlier.at === 'string') entries.set(earlier.at, decision);
    else inherited.push({ from: earlier.at, to: { run, row } });
  }
  sentRows.linkAnswers(inherited);
  sentRows.unlinkAnswers(
    decided.flatMap(({ row: { row, sent_at: sentAt } }) => (sentAt === null ? [] : [{ run, row }])),
  );
  for (const [entry, decision] of entries) {
    if (decision.kind === 'drop') continue;
    const id = decision.kind === 'adopt' ? decision.id : undefined;
    history.resolve(entry, id, ports.self.clock.now());
  }
}
