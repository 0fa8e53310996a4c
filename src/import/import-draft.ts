import { type HasLock, RunLedger } from '../ledger/run-ledger.ts';
import type { Place } from '../ledger/sent-since.ts';
import type { Sql } from '../ledger/sql.ts';
import type { ComparesBy, Draft, LedgerSource } from './draft/draft.ts';
import type { Findings } from './ended-run.ts';
import { type SendRunPorts, type SentRun, sendRun } from './send-run.ts';

const PER_LOT = 2_000;

/** What reads the list for a run. */
export type RunReading = Pick<SendRunPorts, 'find' | 'search' | 'verify'>;

export interface ImportDraftPorts
  extends Omit<SendRunPorts, 'ledger' | 'claim' | 'isListed' | 'sendsEqual' | keyof RunReading> {
  readonly sql: Sql;
  /** Of the ledger; undefined if it is shared. */
  readonly path: string | undefined;
  readonly where: Place;
  readonly compares: ComparesBy;
  readonly name: string;
  /** Whether this process has the lock of the place. */
  hasLock: HasLock;
  /** Called once all rows are compared. */
  header(): unknown;
  /** Writes what the run does not keep. If it throws, nothing was sent, and no run is left. */
  beforeRun(): Promise<void>;
  /** The run has taken over so many rows of these runs, which are unfinished. */
  onTakenOver(rows: number, runs: readonly string[]): void;
  reading(ledger: RunLedger, number: number): RunReading;
}

export type Imported =
  /** Another process has taken the lock over. Nothing was sent. */
  | { readonly kind: 'lost' }
  /** All rows are known: nothing was sent. */
  | { readonly kind: 'nothing' }
  /** Rows of this file are open in a run that has found that the service stores codes differently. */
  | {
      readonly kind: 'stored differently';
      readonly run: string;
      readonly storedAs: NonNullable<Findings['storedAs']>;
    }
  | ({ readonly kind: 'sent'; readonly number: number } & SentRun);

/**
 * Sends a draft whose plan was confirmed, behind the lock of its place: compares it with the ledger once more, fills a
 * run, takes over what unfinished runs left pending, and sends.
 */
export async function importDraft(draft: Draft, ports: ImportDraftPorts): Promise<Imported> {
  const { sql, path, where, compares, name, clock } = ports;
  const ledger = new RunLedger(sql, where, ports.hasLock);
  const opened = await ledger.open();
  if (opened === undefined) return { kind: 'lost' };
  await draft.compareWithLedger({ path, sql } as LedgerSource, where, compares);
  // Of equal rows it is not known which of them an earlier run still has to send.
  if (!compares.sendsEqual && !(await ledger.settleCovered(draft.covered(where))))
    return { kind: 'lost' };
  const { pending, unconfirmed } = draft.counts();
  if (pending + unconfirmed === 0) return { kind: 'nothing' };
  const { planned, unfinished } = opened;
  for (const { number, name: run, findings } of unfinished) {
    const { storedAs } = (findings ?? {}) as Findings;
    // Its rows may be there under other codes, where no look-up would find them.
    if (storedAs !== undefined && draft.hasOpenOf(number))
      return { kind: 'stored differently', run, storedAs };
  }
  await ports.beforeRun();
  const claim = await ledger.create({ name, header: ports.header(), planned, now: clock.now() });
  if (claim === undefined) return { kind: 'lost' };
  for (const lot of draft.lots(PER_LOT))
    if (!(await ledger.fill(claim, lot))) return { kind: 'lost' };
  const begun = await ledger.begin(claim);
  if (begun === undefined) return { kind: 'lost' };
  if (begun.moved > 0)
    ports.onTakenOver(
      begun.moved,
      unfinished.map((one) => one.name),
    );
  const { number } = claim;
  const sent = await sendRun({
    ...ports,
    ...ports.reading(ledger, number),
    ...{ ledger, claim, isListed: where.isListed, sendsEqual: compares.sendsEqual },
  });
  return { kind: 'sent', number, ...sent };
}
