import type { Sender } from '../client/port.ts';
import type { Context } from '../core/command.ts';
import type { ProcError } from '../core/errors.ts';
import type { Row } from '../core/result.ts';
import type { ImportTarget } from '../resources/import-target.ts';
import type { Baseline } from './journal/header.ts';
import type { Journal } from './journal/journal.ts';
import { Listing } from './listing/listing.ts';
import { patientReader, READ_PATIENCE_MS } from './listing/read.ts';
import { markExisting, readCatalogue } from './plan/catalogue.ts';
import { checkDuplicates, makePlan, type Plan, refusalOf, type Sample } from './plan/plan.ts';
import { settleSentBefore } from './plan/sent-before.ts';
import type { Progress } from './report/progress.ts';
import { rowsIn } from './report/words.ts';

/** What is counted while the catalogue is looked at, where it is one. */
const ONE = { 'rows read': 'row read', 'codes looked up': 'code looked up' } as const;

export interface Planned {
  readonly plan: Plan;
  readonly baseline: Baseline | 'not read';
  /** Why it may not be carried out: a limit that the user set. */
  readonly refusal: ProcError | undefined;
}

/**
 * Makes the plan of a staged run: duplicates in the file, what exists in the live catalogue, what is
 * left to create. What it says is what will happen.
 *
 * @throws ProcError where it cannot be made: rows of one code that differ
 */
export async function planRun(
  journal: Journal,
  target: ImportTarget,
  patienceMs: number,
  ctx: Context,
  progress: Progress,
): Promise<Planned> {
  const { choices } = journal.header;
  const isListed = target.listing !== undefined;
  // Without a listing no field is known to be unique: only equal rows are the same row.
  checkDuplicates(journal, choices, target.keyField, isListed ? undefined : ['fingerprint']);
  const before = isListed ? 0 : await settleSentBefore(journal, target.create, ctx);
  const baseline = await readBaseline(journal, target, patienceMs, ctx, progress);
  const existing =
    baseline === 'not read' || !isListed ? before : markExisting(journal, choices.onExisting);
  const plan = makePlan(journal, choices, existing);
  return { plan, baseline, refusal: refusalOf(plan, choices, ctx.typed) };
}

async function readBaseline(
  journal: Journal,
  target: ImportTarget,
  patienceMs: number,
  ctx: Context,
  progress: Progress,
): Promise<Baseline | 'not read'> {
  if (target.listing === undefined) return 'unproved';
  if (ctx.previewing && ctx.globals.offline) return 'not read';
  const some = "SELECT 1 FROM rows WHERE state = 'pending' LIMIT 1";
  if (journal.database.prepare(some).get() === undefined) return 'complete';
  const sender = await ctx.sender(4);
  if (sender.target.credential === undefined) {
    ctx.say({
      kind: 'warning',
      text: 'there is no key for this address: the catalogue was not read, and rows that exist count as new',
    });
    return 'not read';
  }
  const listing = listingFor(target, sender, ctx, patienceMs);
  const baseline = await readCatalogue(journal, listing, (what, count) =>
    progress.step(`Looking at the catalogue: ${rowsIn(count, ONE[what], what)}`, {
      step: 'plan',
      what,
      count,
    }),
  );
  journal.set('baseline', baseline);
  if (baseline === 'unproved') {
    ctx.say({
      kind: 'warning',
      text: 'the catalogue could not be read to a proved end: rows that were not found are created, and rows whose outcome gets lost stay unknown. If the paging parameters have other names, set a dialect: proc help contract',
    });
  }
  return baseline;
}

/** The noun's listing, for reads that are given up like any command's. */
export function listingFor(
  target: ImportTarget,
  sender: Sender,
  ctx: Context,
  patienceMs = READ_PATIENCE_MS,
): Listing {
  const { clock, signal, globals } = ctx;
  return new Listing(
    target,
    sender,
    patientReader(sender, { clock, signal, retries: globals.retries, patienceMs }),
  );
}

/** The plan as text for a person. */
export function planText(
  { plan, baseline }: Planned,
  target: ImportTarget,
  source: string,
): string {
  const line = (label: string, count: number, samples: readonly Sample[]) =>
    count === 0
      ? []
      : [`  ${label.padEnd(11)}${String(count).padStart(8)}  ${samples.map(shown).join(', ')}`];
  return [
    `${source}: ${rowsIn(plan.rows)}`,
    ...line('to create', plan.create, plan.samples.create),
    ...(plan.createAgain > 0
      ? [
          `    of which ${rowsIn(plan.createAgain, 'exists and is', 'exist and are')} created once more`,
        ]
      : []),
    ...line(
      target.listing === undefined ? 'sent before' : 'existing',
      plan.existing,
      plan.samples.existing,
    ),
    ...line('in doubt', plan.inDoubt, plan.samples.inDoubt),
    ...line('given up', plan.dropped, []),
    ...line('duplicates', plan.duplicates, plan.samples.duplicates),
    ...line('invalid', plan.invalid, plan.samples.invalid),
    ...(plan.unguarded > 0
      ? [
          `  (removed the apostrophe before = + - @ from ${rowsIn(plan.unguarded, 'cell', 'cells')}; --csv-raw keeps it)`,
        ]
      : []),
    ...(baseline === 'not read' ? [`  (whether ${target.many} exist was not looked up)`] : []),
  ].join('\n');
}

function shown({ row, code, reason }: Sample): string {
  if (reason === null) return code ?? `row ${row}`;
  return code === null ? `row ${row} (${reason})` : `${code} (row ${row}: ${reason})`;
}

/** The plan as the result of `--dry-run`. */
export function planRecord(
  { plan, baseline, refusal }: Planned,
  { listing }: ImportTarget,
  source: string,
  mapping: unknown,
): Row {
  const { create, existing, duplicates, invalid, rows, createAgain, inDoubt, dropped } = plan;
  const { inDoubt: doubtful, ...samples } = plan.samples;
  // What cannot be listed has no catalogue, and nothing that exists could be created once more.
  const known = listing === undefined ? { inDoubt, dropped } : { createAgain, catalogue: baseline };
  return {
    dryRun: true,
    source,
    rows,
    create,
    existing,
    duplicates,
    invalid,
    ...known,
    ...(plan.unguarded > 0 ? { unguarded: plan.unguarded } : {}),
    samples: listing === undefined ? { ...samples, inDoubt: doubtful } : samples,
    ...(refusal === undefined ? {} : { refused: refusal.message }),
    mapping,
  };
}
