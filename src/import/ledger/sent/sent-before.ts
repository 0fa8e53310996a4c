import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import { typedAgain } from '../../../core/text/typed.ts';
import { fingerprintOf, looseFingerprintOf } from '../../../history/fingerprints.ts';
import type { SentOutcome, SentRows } from '../../../history/sent-rows.ts';
import { HISTORY } from '../../../history/store.ts';
import { rowsIn } from '../../report/words.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import type { Journal } from '../journal.ts';
import type { Asked } from '../rows/fingerprinted-rows.ts';
import { scopeOfRun } from '../whose.ts';
import { takeAnswers } from './answered-later.ts';
import { type Earlier, earlierOf } from './earlier-runs.ts';

/** A whole file may have been sent before: so many rows are looked up at once. */
const AT_ONCE = 5_000;

type Create = ImportTarget['create'];

interface Hit {
  readonly row: number;
  readonly earlier: Earlier;
}

/** What was found of rows that were sent before. */
class Tally {
  readonly by = new Map<string, number>();
  readonly outcomes: Record<SentOutcome, number> = { created: 0, unconfirmed: 0, dropped: 0 };
  count = 0;
  /** What to do about the first that is unconfirmed. */
  wayOut: string | undefined;

  add(hits: readonly Hit[]): void {
    for (const { earlier } of hits) {
      const { by, outcome, wayOut } = earlier;
      this.count++;
      this.by.set(by, (this.by.get(by) ?? 0) + 1);
      this.outcomes[outcome]++;
      if (outcome === 'unconfirmed') this.wayOut ??= wayOut;
    }
  }
}

/**
 * Looks for pending rows that this organization sent before, by an earlier run or a single command. With
 * `--on-sent skip` they are not sent again; what is unconfirmed there is inherited.
 *
 * @returns how many there are
 * @throws ProcError `repeated_write` if `--on-sent` does not say what to do with them
 */
export async function settleSentBefore(
  journal: Journal,
  create: Create,
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<number> {
  const { choices } = journal.header;
  if (choices.onSent === 'send') return 0;
  const sentRows = await sentRowsOf(journal, ports);
  if (sentRows.isEmpty()) return 0;
  const tally = new Tally();
  for (const hits of hitsAmong('pending', create, sentRows, journal)) {
    tally.add(hits);
    if (choices.onSent === 'skip') write(journal, hits);
  }
  if (tally.count === 0) return 0;
  if (choices.onSent === undefined) throw sentBefore(journal, tally, ports.self.typed);
  if (tally.wayOut !== undefined) {
    ports.io.say({
      kind: 'warning',
      text: `of the rows that were sent before, ${told(tally)}; those in doubt are not sent, and stay so: ${tally.wayOut}`,
    });
  }
  return tally.count;
}

/**
 * Before a run is resumed: what became known elsewhere since counts here. Inherited rows
 * follow the run that sent them, rows that were answered in a later run follow that one, and what
 * somebody else sent meanwhile is not sent again.
 */
export async function lookAgain(
  journal: Journal,
  create: Create,
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<void> {
  const { choices, organization } = journal.header;
  const sentRows = await sentRowsOf(journal, ports);
  for (const hits of hitsAmong('inherited', create, sentRows, journal)) {
    const known = hits.filter(({ earlier }) => earlier.outcome !== 'unconfirmed');
    if (known.length > 0) write(journal, known);
  }
  takeAnswers(journal, sentRows, ports);
  if (choices.onSent === 'send') return;
  const meanwhile = new Tally();
  for (const all of hitsAmong('pending', create, sentRows, journal)) {
    // A plan that records its organization has dealt with what was sent before that was recorded.
    const hits = all.filter(({ earlier }) => organization === undefined || earlier.isOurs);
    meanwhile.add(hits);
    write(journal, hits);
  }
  if (meanwhile.count === 0) return;
  const text = `${rowsIn(meanwhile.count)} left to send: sent meanwhile by ${sourcesOf(meanwhile)} (${told(meanwhile)}), and not sent again`;
  ports.io.say({ kind: 'warning', text });
}

/**
 * Under which a write may be noted: earlier versions told apart what differs in the order of a list alone.
 *
 * @param body JSON text
 */
export function marksOf(
  { method, path }: Create,
  fingerprint: string,
  body: string,
): readonly string[] {
  if (!body.includes('[')) return [fingerprint];
  const payload: unknown = JSON.parse(body);
  const both = [looseFingerprintOf(method, path, payload), fingerprintOf(method, path, payload)];
  return [...new Set([fingerprint, ...both])];
}

/** Earlier unconfirmed writes that this row may duplicate. */
export function unconfirmedBefore(
  marks: readonly string[],
  run: string,
  sentRows: SentRows,
): Earlier[] {
  return allEarlier(marks, run, sentRows.finder(), sentRows).filter(
    ({ outcome, isOurs }) => outcome === 'unconfirmed' && isOurs,
  );
}

async function sentRowsOf(
  journal: Journal,
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<SentRows> {
  return (await ports.store.open(HISTORY)).sentRows(await scopeOfRun(journal, ports));
}

function allEarlier(
  marks: readonly string[],
  run: string,
  find: ReturnType<SentRows['finder']>,
  sentRows: SentRows,
): Earlier[] {
  return marks
    .flatMap(find)
    .filter((one) => one.by !== 'run' || one.run !== run)
    .flatMap((one) => earlierOf(one, sentRows) ?? [])
    .filter(({ at }) => typeof at === 'string' || at.run !== run)
    .sort((a, b) => CERTAINTY.indexOf(a.outcome) - CERTAINTY.indexOf(b.outcome));
}

/** In batches, in the order of rows; what is written of one is not met again. */
function* hitsAmong(
  which: Asked,
  create: Create,
  sentRows: SentRows,
  journal: Journal,
): Generator<readonly Hit[]> {
  const find = sentRows.finder();
  const { run } = journal.header;
  for (let last = 0; ; ) {
    const rows = journal.fingerprinted.some(which, last, AT_ONCE);
    if (rows.length === 0) return;
    last = rows.at(-1)!.row;
    const hits = rows.flatMap(({ row, fingerprint, body }) => {
      const marks = marksOf(create, fingerprint, body);
      const [earlier] = allEarlier(marks, run, find, sentRows);
      return earlier === undefined ? [] : [{ row, earlier }];
    });
    if (hits.length > 0) yield hits;
  }
}

/** Of several times that a row was sent, the one that is known best tells. */
const CERTAINTY: readonly SentOutcome[] = ['created', 'unconfirmed', 'dropped'];

function write(journal: Journal, hits: readonly Hit[]): void {
  journal.commit(() => {
    for (const { row, earlier } of hits) {
      const { by, id, outcome } = earlier;
      const noted = (added: string) => ({
        id,
        reason: `already sent by ${by}${added}`,
        lookedUp: true,
      });
      if (outcome === 'created') journal.apply(row, 'recall', 'existing', noted(''));
      else if (outcome === 'dropped')
        journal.apply(row, 'recall', 'dropped', noted(' and given up'));
      else journal.apply(row, 'inherit', 'unconfirmed', noted(', where it is in doubt'));
    }
  });
}

/** `17 are known to be created, 3 in doubt` */
function told({ outcomes: { created, unconfirmed, dropped } }: Tally): string {
  return `${rowsIn(created, 'is', 'are')} known to be created, ${unconfirmed} in doubt${dropped === 0 ? '' : `, ${dropped} given up`}`;
}

function sourcesOf({ by }: Tally): string {
  const sources = [...by.keys()];
  return (
    sources.slice(0, 3).join(', ') + (sources.length > 3 ? ` and ${sources.length - 3} more` : '')
  );
}

function sentBefore(journal: Journal, tally: Tally, typed: readonly string[]): ProcError {
  const { by, count, outcomes } = tally;
  const shown = sourcesOf(tally);
  const rows = Object.values(journal.counts()).reduce((sum, some) => sum + some, 0);
  const skip = typedAgain(typed, ['--on-sent', 'skip']);
  const isCertain = outcomes.created === count;
  return new ProcError(
    'repeated_write',
    `${count} of ${rowsIn(rows)} ${count === 1 ? 'was' : 'were'} already sent by ${shown}${isCertain ? '' : `: ${told(tally)}`}. Nothing sent.`,
    {
      hint: `To send all of them once more: --on-sent send. To send only the others${isCertain ? '' : ' (what is in doubt stays so, exit 9)'}: ${skip}`,
      details: { sentBefore: Object.fromEntries(by), rows, command: skip },
    },
  );
}
