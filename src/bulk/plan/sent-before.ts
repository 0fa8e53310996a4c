import type { Context } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import type { SentBefore } from '../../history/sent-rows.ts';
import { Journal } from '../journal/journal.ts';
import { importsFolder, journalPath } from '../journal/runs.ts';

/** What the journal of a run says of one of its rows. */
interface Told {
  readonly state: string;
  readonly id: string | null;
}

/** States of a row whose request left, or may have. */
const SENT_STATES = new Set(['sent', 'unknown', 'created', 'dropped']);

/** Rows of a run that were surely not sent. */
const NOT_SENT = "state NOT IN ('sent', 'unknown', 'created', 'dropped')";

/**
 * Looks for pending rows that this address got before, from an earlier run or a single command. With
 * `--on-sent skip` they are not sent again.
 *
 * @returns how many there are
 * @throws ProcError `repeated_write` where nothing was said about them
 */
export async function settleSentBefore(journal: Journal, ctx: Context): Promise<number> {
  const { run, baseUrl, choices } = journal.header;
  if (choices.onSent === 'send') return 0;
  const sentRows = (await ctx.history()).sentRows(baseUrl);
  if (sentRows.isEmpty()) return 0;
  const find = sentRows.finder();
  const journals = new Journals(importsFolder(ctx.env));
  const hits: { row: number; earlier: Earlier }[] = [];
  try {
    for (const { row, fingerprint } of pending(journal)) {
      const earlier = find(fingerprint)
        .filter((one) => one.by !== 'run' || one.run !== run)
        .map((one) => journals.look(one))
        .find((one) => one !== undefined);
      if (earlier !== undefined) hits.push({ row, earlier });
    }
  } finally {
    journals.close();
  }
  if (hits.length === 0) return 0;
  if (choices.onSent === undefined)
    throw sentBefore(
      journal,
      hits.map(({ earlier }) => earlier),
    );
  skip(journal, hits);
  const inDoubt = hits.find(({ earlier }) => earlier.inDoubt);
  if (inDoubt !== undefined) {
    const count = hits.filter(({ earlier }) => earlier.inDoubt).length;
    ctx.say({
      kind: 'warning',
      text: `${count} of the rows that were sent before are in doubt there (${inDoubt.earlier.by}): ${inDoubt.earlier.wayOut}`,
    });
  }
  return hits.length;
}

/** Notes what is about to be sent; on the disk before the first request leaves. */
export async function noteSent(journal: Journal, ctx: Context): Promise<void> {
  const { run, baseUrl } = journal.header;
  (await ctx.history()).sentRows(baseUrl).note(run, pending(journal));
}

/** Before a journal goes: what it alone knows is kept, which of its rows were not sent. */
export async function keepWhatWasSent(journal: Journal, ctx: Context): Promise<void> {
  const { run, baseUrl } = journal.header;
  const rows = journal.database
    .prepare(`SELECT row FROM rows WHERE fingerprint IS NOT NULL AND ${NOT_SENT}`)
    .iterate();
  const numbers = (function* () {
    for (const { row } of rows) yield Number(row);
  })();
  (await ctx.history()).sentRows(baseUrl).takeBack(run, numbers);
}

/** The run ended before its first request: none of its rows was sent. */
export async function forgetSent(journal: Journal, ctx: Context): Promise<void> {
  const { run, baseUrl } = journal.header;
  (await ctx.history()).sentRows(baseUrl).takeBack(run);
}

function* pending(journal: Journal): Generator<{ row: number; fingerprint: string }> {
  const rows = journal.database
    .prepare(
      "SELECT row, fingerprint FROM rows WHERE state = 'pending' AND fingerprint IS NOT NULL ORDER BY row",
    )
    .iterate();
  for (const { row, fingerprint } of rows) {
    yield { row: Number(row), fingerprint: fingerprint as string };
  }
}

interface Earlier {
  /** For messages: `run 2026…`, or the entry of history. */
  readonly by: string;
  readonly id: string | undefined;
  readonly inDoubt: boolean;
  readonly wayOut: string;
}

/** The journals of earlier runs, each opened once. */
class Journals {
  readonly #folder: string;
  readonly #open = new Map<string, ((row: number) => Told | undefined) | undefined>();
  readonly #journals: Journal[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What was sent; undefined where it surely was not. Without its journal a noted row counts as sent. */
  look(sent: SentBefore): Earlier | undefined {
    if (sent.by === 'command') {
      return {
        by: `the command ${sent.entry} of history`,
        id: sent.created,
        inDoubt: sent.inDoubt,
        wayOut: `proc history show ${sent.entry}`,
      };
    }
    const by = `run ${sent.run}`;
    const wayOut = `proc imports resolve ${sent.run}`;
    const told = this.#of(sent.run)?.(sent.row);
    if (told === undefined) return { by, id: undefined, inDoubt: false, wayOut };
    if (!SENT_STATES.has(told.state)) return undefined;
    const inDoubt = told.state === 'sent' || told.state === 'unknown';
    return { by, id: told.id ?? undefined, inDoubt, wayOut };
  }

  #of(run: string): ((row: number) => Told | undefined) | undefined {
    if (!this.#open.has(run)) this.#open.set(run, this.#reader(run));
    return this.#open.get(run);
  }

  #reader(run: string): ((row: number) => Told | undefined) | undefined {
    try {
      const journal = Journal.open(journalPath(this.#folder, run), true);
      this.#journals.push(journal);
      const select = journal.database.prepare('SELECT state, id FROM rows WHERE row = ?');
      return (row) => select.get(row) as Told | undefined;
    } catch (thrown) {
      if (thrown instanceof ProcError) return undefined;
      throw thrown;
    }
  }

  close(): void {
    for (const journal of this.#journals) journal.close();
  }
}

function skip(journal: Journal, hits: readonly { row: number; earlier: Earlier }[]): void {
  const mark = journal.database.prepare(
    "UPDATE rows SET state = 'existing', id = ?, reason = ? WHERE row = ?",
  );
  journal.commit(() => {
    for (const { row, earlier } of hits) {
      mark.run(earlier.id ?? null, `already sent by ${earlier.by}`, row);
    }
  });
}

function sentBefore(journal: Journal, hits: readonly Earlier[]): ProcError {
  const by = new Map<string, number>();
  for (const hit of hits) by.set(hit.by, (by.get(hit.by) ?? 0) + 1);
  const sources = [...by.keys()];
  const shown =
    sources.slice(0, 3).join(', ') + (sources.length > 3 ? ` and ${sources.length - 3} more` : '');
  const rows = Object.values(journal.counts()).reduce((sum, count) => sum + count, 0);
  return new ProcError(
    'repeated_write',
    `${hits.length} of ${rows} rows were already sent by ${shown}. Nothing sent.`,
    {
      hint: 'Send only the others: --on-sent skip; send all of them once more: --on-sent send',
      details: { sentBefore: Object.fromEntries(by), rows },
    },
  );
}
