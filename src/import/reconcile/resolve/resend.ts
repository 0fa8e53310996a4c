import type { Ports } from '../../../core/ports.ts';
import { bulkMessages } from '../../../messages/bulk.ts';
import type { Journal } from '../../ledger/journal.ts';
import type { Unconfirmed } from '../../ledger/rows/unconfirmed-rows.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { confirmUnproved, findPresent, type Present, presentRefusal } from './absence.ts';
import { checkAdoption } from './adoption.ts';

/** A row that is in neither array stays unconfirmed. */
export interface Resending {
  readonly resent: readonly Unconfirmed[];
  readonly adopted: readonly { readonly row: Unconfirmed; readonly id: string }[];
}

/**
 * Chooses the rows to resend: rows that are provably absent, and with `--again` also rows that may
 * exist. A row in the list is never chosen: proc proposes to adopt its record. If the service has no
 * list, all rows are chosen.
 *
 * @throws ProcError `confirmation_required`, `incomplete`; nothing was changed
 */
export async function decideResend(
  journal: Journal,
  target: ImportTarget,
  rows: readonly Unconfirmed[],
  settleMs: number,
  ports: Ports<'io' | 'api' | 'ask' | 'store' | 'self'>,
): Promise<Resending> {
  if (target.listing === undefined) return { resent: rows, adopted: [] };
  const seen = await findPresent(journal, target, rows, settleMs, ports);
  const { present, absent, unproved } = seen;
  const canAsk = ports.io.terminal.interactive && !ports.self.flags.yes && !ports.api.isPreview;
  if (present.length > 0 && !canAsk) throw presentRefusal(present, journal, ports);
  confirmUnproved(seen, journal, target, ports);
  const adopted: { row: Unconfirmed; id: string }[] = [];
  for (const one of present) {
    const id = await proposeAdoption(one, adopted, ports);
    if (id === undefined) continue;
    await checkAdoption(journal, target, one.row, id, ports);
    adopted.push({ row: one.row, id });
  }
  return { resent: [...absent, ...unproved], adopted };
}

/** @returns the adopted id; undefined if the row stays unconfirmed */
async function proposeAdoption(
  { row: { row, code }, ids }: Present,
  adopted: Resending['adopted'],
  ports: Ports<'io' | 'ask'>,
): Promise<string | undefined> {
  const words = bulkMessages[await ports.io.lang()];
  const free = ids.filter((id) => !adopted.some((one) => one.id === id));
  if (free.length === 0) return undefined;
  return ports.ask.select<string | undefined>(words.isInList(row, code), [
    ...free.map((id) => ({ name: words.adoptIt(id), value: id })),
    { name: words.leave, value: undefined },
  ]);
}
