import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { SentBy } from '../../core/problem/row-problem.ts';
import { sentByText } from '../../core/problem/sentence.ts';
import { grouped } from '../../core/text/decimal.ts';
import { inShell, targetFlags, typedAgain } from '../../core/text/typed.ts';
import { digestOf } from '../../ledger/digest.ts';
import type { Place, SentBefore, SentOutcome } from '../../ledger/port.ts';
import { startedAt } from '../../ledger/run-name.ts';
import type { SentRows } from '../../ledger/sent-rows.ts';
import { historyOf } from '../record-run.ts';
import { giveUpCommand } from '../report/old-next-steps.ts';
import { countedIn, countedWord, countIn, countOf } from '../report/words.ts';
import type { RunHeader } from './facts.ts';
import type { Unconfirmed } from './looked-up-rows.ts';
import type { Run } from './run-file.ts';
import { keyOf } from './run-rows.ts';

interface Hit {
  readonly row: number;
  readonly earlier: Earlier;
}

class Tally {
  /** How many rows each has sent, in the order of the rows. */
  readonly by = new Map<string, { readonly by: SentBy; count: number }>();
  readonly outcomes: Record<SentOutcome, number> = { created: 0, unconfirmed: 0, dropped: 0 };
  count = 0;
  nextStep: Earlier['nextStep'] | undefined;

  add(hits: readonly Hit[]): void {
    for (const { earlier } of hits) {
      const { outcome, nextStep } = earlier;
      const name = sentByText(earlier.by);
      const source = this.by.get(name) ?? { by: earlier.by, count: 0 };
      this.by.set(name, source);
      source.count++;
      this.count++;
      this.outcomes[outcome]++;
      if (outcome === 'unconfirmed') this.nextStep ??= nextStep;
    }
  }
}

/**
 * Finds pending rows that an earlier run or a single command has sent before. Writes of other
 * organizations do not count. With `--on-sent skip`, these rows are not sent again: they take over the
 * earlier outcome.
 *
 * @returns number of rows that were sent before
 * @throws ProcError `repeated_write` if a row was sent before and `--on-sent` is missing
 */
export async function applySentBefore(
  run: Run,
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<number> {
  const { choices } = run.header;
  if (choices.onSent === 'send') return 0;
  const { sentRows } = await historyOf(run, ports);
  if (await sentRows.isEmpty()) return 0;
  const tally = new Tally();
  for await (const hits of hitsAmong('pending', sentRows, run)) {
    tally.add(hits);
    if (choices.onSent === 'skip') write(run, hits);
  }
  if (tally.count === 0) return 0;
  if (choices.onSent === undefined) throw sentBefore(run, tally, ports);
  if (tally.nextStep !== undefined) {
    const next = tally.nextStep(targetFlags(ports.self.flags));
    const of = countedIn(run.header);
    const text = `${countOf(tally.count, of)} ${tally.count === 1 ? 'was' : 'were'} sent before: ${sentCounts(tally.outcomes)}. proc does not send unconfirmed ${countedWord(2, of)} again. Next step: ${next}`;
    ports.io.say({ kind: 'warning', text });
  }
  return tally.count;
}

/**
 * Takes over what unfinished runs of other machines have sent from the same file, row by row: created rows exist, and
 * rows that may have been sent are unconfirmed. Of equal rows, each has an outcome of its own. If the service can list the
 * noun, a look-up decides about open rows when they would be sent.
 *
 * @throws ProcError `import_unfinished` if a row is not the one that was sent
 */
export async function continueRuns(
  run: Run,
  isListed: boolean,
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<void> {
  const { continues = [] } = run.header;
  if (continues.length === 0) return;
  const { sentRows } = await historyOf(run, ports);
  for (const name of continues) {
    for await (const sent of sentRows.ofRun(name)) {
      for (const { row, key } of sent) {
        if (key !== null && key !== keyAt(run, row))
          throw otherRow({ ...run.header, run: name }, row, ports);
      }
      const hits = sent
        // A person has decided about this row here.
        .filter(({ answer }) => answer?.run !== run.header.run)
        .map((one): Hit => ({ row: one.row, earlier: earlierOf(one) }));
      write(run, isListed ? hits.filter(({ earlier }) => earlier.outcome !== 'unconfirmed') : hits);
    }
  }
}

function keyAt({ rows }: Run, row: number): string | null | undefined {
  const found = rows.at(row);
  return found && keyOf(found.code, found.name, found.fingerprint);
}

function otherRow(earlier: RunHeader, row: number, ports: Ports<'io' | 'self'>): ProcError {
  const { run } = earlier;
  return new ProcError(
    'import_unfinished',
    `row ${row} is not the row ${row} that ${run} has sent from the same file; nothing was sent now`,
    {
      hint: `Import the file with the options of ${run}. To give up that run: ${giveUpCommand(earlier, ports)}`,
      details: { run, row },
    },
  );
}

/**
 * Called before a run is resumed, to take over what other runs and commands have done since:
 *
 * - Inherited rows get the outcome of the earlier write.
 * - Rows that a person resolved in a later run get the outcome from the later run.
 * - Pending rows that were sent in the meantime are not sent, except with `--on-sent send`.
 */
export async function updateFromOtherRuns(
  run: Run,
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<void> {
  const { choices } = run.header;
  await continueRuns(run, false, ports);
  const { sentRows } = await historyOf(run, ports);
  for await (const hits of hitsAmong('inherited', sentRows, run)) {
    write(run, hits);
  }
  await takeLaterOutcomes(run, sentRows, ports);
  if (choices.onSent === 'send') return;

  const meanwhile = new Tally();
  for await (const hits of hitsAmong('pending', sentRows, run)) {
    meanwhile.add(hits);
    write(run, hits);
  }
  if (meanwhile.count === 0) return;
  const { count, outcomes } = meanwhile;
  const isOne = count === 1;
  const text = `${grouped(count)} pending ${countedWord(count, countedIn(run.header))} ${isOne ? 'was' : 'were'} sent in the meantime by ${sourcesOf(meanwhile)}: ${sentCounts(outcomes)}. This run does not send ${isOne ? 'it' : 'them'}`;
  ports.io.say({ kind: 'warning', text });
}

interface SentCounts {
  readonly created: number;
  readonly unconfirmed: number;
  readonly dropped: number;
}

function sentCounts({ created, unconfirmed, dropped }: SentCounts): string {
  return `${created} created, ${unconfirmed} unconfirmed${dropped === 0 ? '' : `, ${dropped} dropped`}`;
}

/** Of each fingerprint, the writes of other runs and of commands. */
async function earlierWith(
  fingerprints: readonly string[],
  run: string,
  sentRows: SentRows,
  continues: readonly string[] = [],
): Promise<(fingerprint: string) => Earlier[]> {
  const found = await sentRows.find(fingerprints);
  return (fingerprint) =>
    (found.get(fingerprint) ?? [])
      // A person who decided about a row in this run has decided about the earlier one too.
      .filter((one) => one.by !== 'run' || (one.run !== run && one.answer?.run !== run))
      .map(earlierOf)
      .filter(({ at }) => typeof at === 'string' || (at.run !== run && !continues.includes(at.run)))
      .sort((a, b) => precedenceOf(a) - precedenceOf(b));
}

/** Rows that were sent before, in batches and in order. The caller may change the rows of a batch. */
async function* hitsAmong(
  which: 'pending' | 'inherited',
  sentRows: SentRows,
  run: Run,
): AsyncGenerator<readonly Hit[]> {
  const { run: name, continues } = run.header;
  for (const rows of run.rows.fingerprinted(which)) {
    const fingerprints = rows.map(({ fingerprint }) => fingerprint);
    const before = await earlierWith(fingerprints, name, sentRows, continues);
    const hits = rows.flatMap(({ row, fingerprint }) => {
      const [earlier] = before(fingerprint);
      return earlier === undefined ? [] : [{ row, earlier }];
    });
    if (hits.length > 0) yield hits;
  }
}

const OUTCOMES_BY_PRECEDENCE: readonly SentOutcome[] = ['created', 'unconfirmed', 'dropped'];

function precedenceOf({ outcome }: Earlier): number {
  return OUTCOMES_BY_PRECEDENCE.indexOf(outcome);
}

function write(run: Run, hits: readonly Hit[]): void {
  run.commit(() => {
    for (const { row, earlier } of hits) {
      const { by, id, outcome, intent } = earlier;
      const reason = { code: 'sent_before', args: { by, outcome } } as const;
      const noted = { id, reason, seen: intent, lookedUp: true };
      run.rows.writer.takeOver(row, outcome, noted);
    }
  });
}

function sourcesOf(tally: Tally): string {
  const sources = Array.from(tally.by.values(), ({ by }) => sentByText(by));
  const more = `and ${sources.length - 3} more`;
  return sources.slice(0, 3).join(', ') + (sources.length > 3 ? ` ${more}` : '');
}

function sentBefore(run: Run, tally: Tally, ports: Ports<'io' | 'self'>): ProcError {
  const { by, count, outcomes } = tally;
  const rows = Object.values(run.counts()).reduce((sum, some) => sum + some, 0);
  const { typed } = ports.self;
  const skip = typedAgain(typed, ['--on-sent', 'skip']);
  const isCertain = outcomes.created === count;
  return new ProcError(
    'repeated_write',
    `${count} of ${countIn(run.header, rows)} ${count === 1 ? 'was' : 'were'} already sent by ${sourcesOf(tally)}${isCertain ? '' : `: ${sentCounts(outcomes)}`}; nothing was sent now`,
    {
      hint: `To send all, add --on-sent send. ${isCertain ? '' : 'With --on-sent skip, unconfirmed ones stay unconfirmed (exit 9). '}To skip what was sent before: ${skip}`,
      details: {
        sentBefore: Object.fromEntries(Array.from(by, ([name, one]) => [name, one.count])),
        rows,
        command: skip,
      },
    },
  );
}

/**
 * A later run may have inherited unconfirmed rows of this run (`--on-sent skip`). If a person
 * resolved the rows there, this run takes over the outcomes.
 */
async function takeLaterOutcomes(run: Run, sentRows: SentRows, ports: Ports<'io'>): Promise<void> {
  const answered = await sentRows.answeredElsewhere(run.header.run);
  if (answered.length === 0) return;

  const sources = new Set<string>();
  let count = 0;
  run.commit(() => {
    for (const { row, answer } of answered) {
      if (answer?.sent === undefined) continue;
      const { outcome, by, id } = earlierOf(answer.sent);
      if (outcome === 'unconfirmed') continue;
      const reason = outcome === 'dropped' ? ({ code: 'dropped_in', args: { by } } as const) : null;
      if (!run.rows.writer.apply(row, 'resolve', outcome, { id, reason })) continue;
      count++;
      sources.add(sentByText(by));
    }
  });
  if (count === 0) return;
  const text = `${grouped(count)} unconfirmed ${countedWord(count, countedIn(run.header))} ${count === 1 ? 'was' : 'were'} resolved in ${[...sources].join(', ')}; this run takes over the outcome`;
  ports.io.say({ kind: 'notice', text });
}

interface Decided {
  readonly row: Pick<Unconfirmed, 'row' | 'fingerprint' | 'sent_at'>;
  readonly decision:
    | { readonly kind: 'adopt'; readonly id: string }
    | { readonly kind: 'resend' | 'drop' };
}

/**
 * Records the decision about an inherited row in the earlier run or command too. Otherwise the
 * earlier run would still count its row as unconfirmed.
 */
export async function answerEarlier(
  run: Run,
  decided: readonly Decided[],
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<void> {
  const { run: name } = run.header;
  const { history, sentRows } = await historyOf(run, ports);
  const links: { from: Place; to: Place | undefined }[] = [];
  const entries = new Map<string, Decided['decision']>();
  const taken = new Set<string>();
  const fingerprints = decided.flatMap(({ row }) => row.fingerprint ?? []);
  const before = await earlierWith(fingerprints, name, sentRows);
  for (const { row: one, decision } of decided) {
    const { row, fingerprint, sent_at: sentAt } = one;
    if (fingerprint === null || sentAt !== null) continue;
    // If equal rows were sent several times, each decision belongs to a different earlier write.
    const earlier = before(fingerprint).find(
      ({ at, outcome }) => outcome === 'unconfirmed' && !taken.has(JSON.stringify(at)),
    );
    if (earlier === undefined) continue;
    taken.add(JSON.stringify(earlier.at));
    if (typeof earlier.at === 'string') entries.set(earlier.at, decision);
    else links.push({ from: earlier.at, to: { run: name, row } });
  }
  for (const { row } of decided) {
    if (row.sent_at !== null) links.push({ from: { run: name, row: row.row }, to: undefined });
  }
  await sentRows.link(links);
  for (const [entry, decision] of entries) {
    if (decision.kind === 'drop') continue;
    const id = decision.kind === 'adopt' ? decision.id : undefined;
    await history.resolve(entry, id, ports.self.clock.now());
  }
}

/** A row of an import that a single write would repeat. */
export interface SentByRun {
  readonly run: string;
  readonly row: number;
  readonly isUnknown: boolean;
  readonly created: string | undefined;
  /** When the run started, ms. */
  readonly at: number;
}

/** Prefers unconfirmed rows, then rows of newer runs. */
export async function sentByRun(
  {
    method,
    path,
    payload,
    given = payload,
  }: { method: string; path: string; payload: unknown; given?: unknown },
  sentRows: SentRows,
): Promise<SentByRun | undefined> {
  const fingerprint = digestOf(method, path, given);
  const noted = (await sentRows.find([fingerprint])).get(fingerprint) ?? [];
  return noted
    .flatMap((one): SentByRun[] => {
      const earlier = earlierOf(one);
      if (typeof earlier.at === 'string') return [];
      const { outcome, id, at } = earlier;
      if (outcome === 'dropped') return [];
      const isUnknown = outcome === 'unconfirmed';
      return [{ ...at, isUnknown, created: id, at: startedAt(at.run) }];
    })
    .sort((a, b) => Number(b.isUnknown) - Number(a.isUnknown) || b.at - a.at)[0];
}

interface Earlier {
  readonly by: SentBy;
  readonly id: string | undefined;
  readonly outcome: SentOutcome;
  /**
   * What to do if the outcome is unconfirmed: a command or a sentence. `target` has the flags `-p`
   * and `-e`, as they were typed.
   */
  readonly nextStep: (target: string) => string;
  /** Where the outcome is stored: a row, or the id of an entry of the history. */
  readonly at: Place | string;
  /** The number of the intent of a row; undefined for an entry of the history. */
  readonly intent: number | undefined;
}

/** An outcome that a person recorded in a later run counts for the earlier run too. */
function earlierOf(sent: SentBefore): Earlier {
  if (sent.by === 'command') {
    const { entry, isUnconfirmed, created } = sent;
    return {
      by: { entry },
      id: created,
      outcome: isUnconfirmed ? 'unconfirmed' : 'created',
      nextStep: () => `proc history show ${inShell(entry)}`,
      at: entry,
      intent: undefined,
    };
  }
  const { run, row, answer, outcome, created, isDiscarded, intent } = sent;
  if (outcome === 'unconfirmed' && answer?.sent !== undefined) return earlierOf(answer.sent);
  return {
    by: { run },
    id: created,
    outcome,
    nextStep: (target) =>
      isDiscarded
        ? 'check the service, then record the outcome of each row with proc imports resolve'
        : `proc imports resolve ${inShell(run)}${target}`,
    at: { run, row },
    intent,
  };
}
