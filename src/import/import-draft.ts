import { RunLedger } from '../ledger/run-ledger.ts';
import type { Place } from '../ledger/sent-since.ts';
import type { Sql } from '../ledger/sql.ts';
import type { ComparesBy, Draft, DraftState } from './draft/draft.ts';
import { type SendRunPorts, type SentRun, sendRun } from './send-run.ts';

const PER_LOT = 2_000;

export interface ImportDraftPorts
  extends Omit<SendRunPorts, 'ledger' | 'claim' | 'find' | 'isListed'> {
  readonly sql: Sql;
  /** Path of the ledger. */
  readonly path: string;
  readonly where: Place;
  readonly compares: ComparesBy;
  readonly name: string;
  readonly header: unknown;
  /** Whether this process has the lock of the place. */
  hasLock(): boolean;
  findFor(ledger: RunLedger, number: number): SendRunPorts['find'];
}

export type Imported =
  /** Another process has taken the lock over. Nothing was sent. */
  | { readonly kind: 'lost' }
  /** All rows are known: nothing was sent. */
  | { readonly kind: 'nothing'; readonly counts: Readonly<Record<DraftState, number>> }
  | ({ readonly kind: 'sent'; readonly number: number } & SentRun);

/**
 * Sends a draft whose plan was confirmed, behind the lock of its place: compares it with the ledger once more, fills a
 * run, takes over what unfinished runs left pending, and sends.
 */
export async function importDraft(draft: Draft, ports: ImportDraftPorts): Promise<Imported> {
  const { sql, path, where, compares, name, header, clock } = ports;
  const ledger = new RunLedger(sql, where, () => ports.hasLock());
  const opened = await ledger.open();
  if (opened === undefined) return { kind: 'lost' };
  draft.compareWithLedger(path, where, compares);
  // Of equal rows it is not known which of them an earlier run still has to send.
  if (!compares.sendsEqual && !(await ledger.settleCovered(draft.covered(path, where))))
    return { kind: 'lost' };
  const counts = draft.counts();
  if (counts.pending + counts.unconfirmed === 0) return { kind: 'nothing', counts };
  const { planned } = opened;
  const claim = await ledger.create({ name, header, planned, now: clock.now() });
  if (claim === undefined) return { kind: 'lost' };
  for (const lot of draft.lots(PER_LOT))
    if (!(await ledger.fill(claim, lot))) return { kind: 'lost' };
  if ((await ledger.begin(claim)) === undefined) return { kind: 'lost' };
  draft.close();
  const find = ports.findFor(ledger, claim.number);
  const sent = await sendRun({ ...ports, ledger, claim, find, isListed: where.isListed });
  return { kind: 'sent', number: claim.number, ...sent };
}
