import { messageOf, ProcError } from '../core/errors.ts';
import type { Stop } from './open-run.ts';
import { LookUps, type LookUpsPorts } from './reconcile/look-ups.ts';
import { RowSender, type RowSenderPorts } from './send/row-sender.ts';

export interface SendRunPorts
  extends Omit<RowSenderPorts, 'onUnconfirmed' | 'created' | 'rejected'>,
    Pick<LookUpsPorts, 'find' | 'settleMs'> {
  readonly signal: AbortSignal;
}

export interface SentRun {
  /** Why the run stopped before it was complete. */
  readonly stop: Stop | undefined;
  /** How many rows are in each state. Those of a run that ended are final. */
  readonly counts: Readonly<Record<string, number>>;
  readonly hasEnded: boolean;
}

/** How often rows are looked up while others are sent. */
const ROUND_MS = 500;

/** Sends the pending rows of an opened run, looks up those that are unconfirmed, and ends it. */
export async function sendRun(ports: SendRunPorts): Promise<SentRun> {
  const { ledger, claim, clock, signal, isListed } = ports;
  const { number } = claim;
  const before = await ledger.counts(number);
  const sender: RowSender = new RowSender({
    ...ports,
    created: before.created ?? 0,
    rejected: before.rejected ?? 0,
    onUnconfirmed: (row, isOwn) => lookUps.note(row, isOwn),
  });
  const lookUps = new LookUps({
    ...ports,
    claim: () => sender.claim,
    onPending: (row) => sender.resumeAt(row),
  });
  for (const row of await ledger.unconfirmed(number)) lookUps.note(row, false);
  const onAbort = () =>
    sender.stop({ kind: 'interrupted', why: messageOf(signal.reason), error: signal.reason });
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    let stop = await sendAndLookUp(ports, sender, lookUps);
    while (stop === undefined && isListed && !(sender.isDry && lookUps.nextAt === undefined)) {
      const waitMs = (lookUps.nextAt ?? 0) - clock.monotonic();
      if (sender.isDry) await clock.sleep(Math.max(0, waitMs), signal).catch(() => undefined);
      await round(sender, lookUps);
      stop = sender.stopped ?? (await sendAndLookUp(ports, sender, lookUps));
    }
    const ended =
      stop === undefined ? await ledger.end(sender.claim, undefined, clock.now()) : undefined;
    return { stop, counts: ended ?? (await ledger.counts(number)), hasEnded: ended !== undefined };
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function sendAndLookUp(
  { clock, isListed }: SendRunPorts,
  sender: RowSender,
  lookUps: LookUps,
): Promise<Stop | undefined> {
  const over = new AbortController();
  const rounds = async () => {
    while (!over.signal.aborted) {
      await clock.sleep(ROUND_MS, over.signal).catch(() => undefined);
      if (!over.signal.aborted) await round(sender, lookUps);
    }
  };
  const looking = isListed ? rounds() : undefined;
  const stop = await sender.drain();
  over.abort();
  await looking;
  return stop ?? sender.stopped;
}

/** A failed look-up stops the run. The rows stay unconfirmed until a resume. */
async function round(sender: RowSender, lookUps: LookUps): Promise<void> {
  if (sender.stopped !== undefined) return;
  try {
    const isOurs = await lookUps.round();
    if (!isOurs) sender.stop({ kind: 'journal', why: 'another command continues this run' });
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    sender.stop({
      kind: 'refused',
      why: `rows could not be looked up: ${thrown.message}`,
      error: thrown,
    });
  }
}
