import type { Context } from '../context.ts';
import { ProcError } from '../core/errors.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { RunLedger } from '../ledger/run-ledger.ts';
import type { Place } from '../ledger/sent-since.ts';
import type { ComparesBy, Draft, LedgerSource } from './draft/draft.ts';
import type { EndedRun, Findings } from './ended-run.ts';
import type { ImportLock } from './import-lock.ts';
import { planItems } from './plan/line-items.ts';
import { beginRejected } from './report/files.ts';
import { runCommand } from './report/run-endings.ts';
import type { RunHeader } from './run-header.ts';
import { type RowsToSend, sendRows } from './send-rows.ts';

const PER_LOT = 2_000;

export interface ConfirmedDraft
  extends Pick<RowsToSend, 'target' | 'options' | 'progress' | 'workedMs'> {
  readonly ledger: Ledger;
  readonly where: Place;
  readonly compares: ComparesBy;
  readonly lock: ImportLock;
  readonly header: RunHeader;
}

/**
 * Sends a draft whose plan was confirmed, behind the lock of its place: compares it with the ledger once more, fills a
 * run, takes over what unfinished runs left pending, and sends.
 *
 * @throws ProcError if nothing was sent, and rows are left
 */
export async function importDraft(
  draft: Draft,
  { ledger: { sql, path }, where, compares, lock, ...run }: ConfirmedDraft,
  ctx: Context,
): Promise<EndedRun> {
  const ledger = new RunLedger(sql, where, lock.hasLock);
  const ours = <T>(found: T | undefined | false): T => {
    if (found !== undefined && found !== false) return found;
    throw new ProcError(
      'busy',
      `another process has taken over the import of ${where.noun}; nothing was sent`,
      { hint: 'Wait until it ends, then try again. List all runs: proc imports list' },
    );
  };
  const { planned, unfinished } = ours(await ledger.open());
  const { definesItems } = run.target;
  const before = definesItems === true ? pendingIn(draft) : undefined;
  await draft.compareWithLedger({ path, sql } as LedgerSource, where, compares);
  // Somebody may have decided that a row was not sent. The plan has not looked up the items that it defines.
  if (before !== undefined && [...pendingIn(draft)].some((row) => !before.has(row))) {
    const { refusal } = await planItems(draft, { ...run.header, ...run }, ctx);
    if (refusal !== undefined) throw refusal;
  }
  // Of equal rows it is not known which of them an earlier run still has to send.
  if (!compares.sendsEqual) ours(await ledger.settleCovered(draft.covered(where)));
  // Another process may have sent rows of this file since the plan was made.
  const header = { ...run.header, planned: draft.planned() };
  if (header.planned.create + header.planned.lookedUp === 0) {
    const findings = { workedMs: run.workedMs };
    return { number: undefined, header, rows: {}, hasEnded: true, findings, stop: undefined };
  }
  for (const { number, name, findings } of unfinished) {
    const { storedAs } = (findings ?? {}) as Findings;
    // Its rows may be there under other codes, where no look-up would find them.
    if (storedAs !== undefined && draft.hasOpenOf(number))
      throw storedDifferently({ ...header, run: name }, storedAs);
  }
  await beginRejected(header, draft, ctx);
  const now = ctx.clock.now();
  const claim = ours(await ledger.create({ name: header.run, header, planned, now }));
  for (const lot of draft.lots(PER_LOT)) ours(await ledger.fill(claim, lot));
  ours(await ledger.begin(claim));
  return sendRows({ ...run, ledger, claim, header, placeOf: (row) => draft.placeOf(row) }, ctx);
}

function pendingIn(draft: Draft): ReadonlySet<number> {
  const rows = new Set<number>();
  for (const { row } of draft.rows('pending')) rows.add(row);
  return rows;
}

function storedDifferently(header: RunHeader, storedAs: NonNullable<Findings['storedAs']>) {
  const { sent, stored } = storedAs;
  return new ProcError(
    'catalogue_unverified',
    `${header.run} stopped because the service stores codes differently: it stored ${sent} as ${stored}. A row of this file is still unconfirmed there; nothing was sent`,
    {
      hint: `Change the codes of the file to the form that the service stores, and import it again. Or record the outcome of the row: ${runCommand('resolve', header)}`,
      details: { run: header.run, ...storedAs },
    },
  );
}
