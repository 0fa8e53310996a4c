import type { Context } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { typedAgain } from '../../core/typed.ts';
import type { Kept, SentOutcome, SentRows } from '../../history/sent-rows.ts';
import type { Journal } from '../journal/journal.ts';
import { importsFolder } from '../journal/runs.ts';
import { type Earlier, Journals, OWN_STATE, outcomeOf } from './earlier-runs.ts';

interface Hit {
  readonly row: number;
  readonly earlier: Earlier;
}

/**
 * Looks for pending rows that this address got before, from an earlier run or a single command. With
 * `--on-sent skip` they are not sent again; what is in doubt there stays in doubt here.
 *
 * @returns how many there are
 * @throws ProcError `repeated_write` where nothing was said about them
 */
export async function settleSentBefore(journal: Journal, ctx: Context): Promise<number> {
  const { baseUrl, choices } = journal.header;
  if (choices.onSent === 'send') return 0;
  const sentRows = (await ctx.history()).sentRows(baseUrl);
  if (sentRows.isEmpty()) return 0;
  const hits = hitsAmong(pending(journal), sentRows, journal, ctx);
  if (hits.length === 0) return 0;
  if (choices.onSent === undefined) throw sentBefore(journal, hits, ctx.typed);
  write(journal, hits);
  const doubts = hits.filter(({ earlier }) => earlier.outcome === 'unknown');
  if (doubts.length > 0) {
    ctx.say({
      kind: 'warning',
      text: `of the rows that were sent before, ${told(hits)}; those in doubt are not sent, and stay so: ${doubts[0]!.earlier.wayOut}`,
    });
  }
  return hits.length;
}

/** Rows that are in doubt because they are in an earlier run: what became known there since counts here. */
export async function lookAgain(journal: Journal, ctx: Context): Promise<void> {
  const rows = fingerprints(journal, "state = 'unknown' AND sent_at IS NULL");
  const sentRows = (await ctx.history()).sentRows(journal.header.baseUrl);
  const known = hitsAmong(rows, sentRows, journal, ctx).filter(
    ({ earlier }) => earlier.outcome !== 'unknown',
  );
  if (known.length > 0) write(journal, known);
}

/** Notes what is about to be sent; on the disk before the first request leaves. */
export async function noteSent(journal: Journal, ctx: Context): Promise<void> {
  const { run, baseUrl } = journal.header;
  (await ctx.history()).sentRows(baseUrl).note(run, pending(journal));
}

/** Before a journal goes: what it alone knows is kept, which of its rows were sent and how that ended. */
export async function keepWhatWasSent(journal: Journal, ctx: Context): Promise<void> {
  const { run, baseUrl } = journal.header;
  const rows = journal.database
    .prepare(`SELECT row, ${OWN_STATE}, id FROM rows WHERE fingerprint IS NOT NULL`)
    .iterate();
  const kept = (function* (): Generator<Kept> {
    for (const { row, state, id } of rows) {
      yield {
        row: Number(row),
        outcome: outcomeOf(state as string),
        created: (id as string | null) ?? undefined,
      };
    }
  })();
  (await ctx.history()).sentRows(baseUrl).keep(run, kept);
}

/** The run ended before its first request: none of its rows was sent. */
export async function forgetSent(journal: Journal, ctx: Context): Promise<void> {
  const { run, baseUrl } = journal.header;
  (await ctx.history()).sentRows(baseUrl).takeBack(run);
}

function hitsAmong(
  rows: Iterable<{ row: number; fingerprint: string }>,
  sentRows: SentRows,
  { header: { run } }: Journal,
  ctx: Context,
): Hit[] {
  const find = sentRows.finder();
  const journals = new Journals(importsFolder(ctx.env));
  const hits: Hit[] = [];
  try {
    for (const { row, fingerprint } of rows) {
      const earlier = find(fingerprint)
        .filter((one) => one.by !== 'run' || one.run !== run)
        .flatMap((one) => journals.look(one) ?? [])
        .sort((a, b) => CERTAINTY.indexOf(a.outcome) - CERTAINTY.indexOf(b.outcome))[0];
      if (earlier !== undefined) hits.push({ row, earlier });
    }
  } finally {
    journals.close();
  }
  return hits;
}

/** Of several times that a row was sent, the one that is known best tells. */
const CERTAINTY: readonly SentOutcome[] = ['created', 'unknown', 'dropped'];

function* fingerprints(
  journal: Journal,
  where: string,
): Generator<{ row: number; fingerprint: string }> {
  const rows = journal.database
    .prepare(
      `SELECT row, fingerprint FROM rows WHERE ${where} AND fingerprint IS NOT NULL ORDER BY row`,
    )
    .iterate();
  for (const { row, fingerprint } of rows) {
    yield { row: Number(row), fingerprint: fingerprint as string };
  }
}

function pending(journal: Journal): Generator<{ row: number; fingerprint: string }> {
  return fingerprints(journal, "state = 'pending'");
}

const STATE_OF = { created: 'existing', unknown: 'unknown', dropped: 'dropped' } as const;

function write(journal: Journal, hits: readonly Hit[]): void {
  const mark = journal.database.prepare(
    'UPDATE rows SET state = ?, id = ?, reason = ?, looked_up = 1 WHERE row = ?',
  );
  journal.commit(() => {
    for (const { row, earlier } of hits) {
      const { by, id = null, outcome } = earlier;
      const doubt = { created: '', unknown: ', where it is in doubt', dropped: ' and given up' };
      mark.run(STATE_OF[outcome], id, `already sent by ${by}${doubt[outcome]}`, row);
    }
  });
}

/** `17 are known to be created, 3 in doubt` */
function told(hits: readonly Hit[]): string {
  const count = (outcome: SentOutcome) =>
    hits.filter(({ earlier }) => earlier.outcome === outcome).length;
  const dropped = count('dropped');
  return `${count('created')} are known to be created, ${count('unknown')} in doubt${dropped === 0 ? '' : `, ${dropped} given up`}`;
}

function sentBefore(journal: Journal, hits: readonly Hit[], typed: readonly string[]): ProcError {
  const by = new Map<string, number>();
  for (const { earlier } of hits) by.set(earlier.by, (by.get(earlier.by) ?? 0) + 1);
  const sources = [...by.keys()];
  const shown =
    sources.slice(0, 3).join(', ') + (sources.length > 3 ? ` and ${sources.length - 3} more` : '');
  const rows = Object.values(journal.counts()).reduce((sum, count) => sum + count, 0);
  const skip = typedAgain(typed, ['--on-sent', 'skip']);
  const isCertain = hits.every(({ earlier }) => earlier.outcome === 'created');
  return new ProcError(
    'repeated_write',
    `${hits.length} of ${rows} rows were already sent by ${shown}${isCertain ? '' : `: ${told(hits)}`}. Nothing sent.`,
    {
      hint: `To send all of them once more: --on-sent send. To send only the others${isCertain ? '' : ' (what is in doubt stays so, exit 9)'}: ${skip}`,
      details: { sentBefore: Object.fromEntries(by), rows, command: skip },
    },
  );
}
