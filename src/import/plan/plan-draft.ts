import type { Context } from '../../context.ts';
import { ProcError } from '../../core/errors.ts';
import type { Row } from '../../core/result.ts';
import { problemIn, rowSentence } from '../../core/row-problem.ts';
import { grouped } from '../../core/text/decimal.ts';
import { typedAgain } from '../../core/text/typed.ts';
import { patientReader } from '../../listing/list-reader.ts';
import { Listing } from '../../listing/listing.ts';
import { scanInBatches } from '../../listing/scan.ts';
import type { ComparedRow, Draft, DraftState } from '../draft/draft.ts';
import { firstValue } from '../map/convert.ts';
import { columnsSent } from '../map/mapping.ts';
import { importPatience } from '../patient-reads.ts';
import { countIn, rowsIn, withReason } from '../report/words.ts';
import { mostOf } from '../run-options.ts';
import { isAddedColumn } from '../source/record.ts';
import { planItems } from './line-items.ts';
import type { Plan, Planning, Sample, Staged } from './plan.ts';
import { planValues } from './values.ts';

const SAMPLES = 3;
const CONNECTIONS = 6;
const PER_BATCH = 5_000;

/**
 * Compares the rows of a file with each other, with the list, and with the ledger.
 *
 * @throws ProcError if the list cannot be read
 */
export async function planDraft(
  draft: Draft,
  staged: Staged,
  planning: Planning,
  ctx: Context,
): Promise<Plan> {
  const { target, choices, where, ledger } = planning;
  const by = comparesBy(planning);
  draft.compareWithin(where, by);
  const list = await readList(draft, planning, ctx);
  if (target.listing !== undefined && list !== undefined)
    draft.compareWithList({ code: target.keyField, name: target.listing.nameField }, by);
  let resent: Plan['resent'];
  if (choices.again) {
    await draft.compareWithLedger(ledger, where, { ...by, again: false });
    const { sentBefore, unconfirmed } = draft.planned();
    const last = draft.lastSent();
    if (last !== undefined) resent = { rows: sentBefore + unconfirmed, last };
  }
  await draft.compareWithLedger(ledger, where, by);
  const items = target.definesItems === true ? await planItems(draft, planning, ctx) : undefined;
  const counts = draft.planned();
  const plan = {
    ...staged,
    counts,
    samples: samplesOf(draft, by.keyField),
    lastSent: counts.sentBefore + counts.unconfirmed === 0 ? undefined : draft.lastSent(),
    resent,
    againUpTo: draft.againUpTo,
    otherNames:
      target.listing === undefined
        ? undefined
        : draft.otherNames({ code: target.keyField, name: target.listing.nameField }, SAMPLES),
    values: isSeen(ctx) ? planValues(draft, staged.orders) : undefined,
    notSent: columnsNotSent(planning),
    remaining: draft.remaining(where),
    list,
    items,
  };
  return { ...plan, refusal: refusalOf(plan, planning, ctx) };
}

/** How rows are compared with the ledger: for the plan, and again behind the lock. */
export function comparesBy({ choices, target }: Planning) {
  const [keyField = target.keyField] = choices.key ?? [];
  const { sendEqual: sendsEqual, again, exactCodes: isExact } = choices;
  return { sendsEqual, again, isExact, keyField };
}

/** An import that asks nothing and prints only its summary need not read rows again. */
function isSeen(ctx: Context): boolean {
  return ctx.flags.dryRun || ctx.io.terminal.interactive;
}

/** @returns undefined if no list is needed, or there is none, or no key to read it */
export async function readList(
  draft: Draft,
  { target, options, progress }: Pick<Planning, 'target' | 'options' | 'progress'>,
  ctx: Context,
): Promise<Plan['list']> {
  if (target.listing === undefined || !draft.hasPendingKey()) return undefined;
  if ((await ctx.target()).key === undefined) {
    const text =
      'the catalogue was not read, so existing rows count as new: there is no key for this address';
    ctx.io.say({ kind: 'warning', text });
    return undefined;
  }
  const sender = await ctx.http().sender(CONNECTIONS);
  const listing = new Listing(target, {
    target: sender.target,
    read: patientReader(sender, importPatience(ctx, options.patienceMs)),
  });
  let rows = 0;
  const isComplete = await scanInBatches(listing, PER_BATCH, (batch) => {
    draft.addListed(batch);
    rows += batch.length;
    const text = `Reading the catalogue: ${rowsIn(rows)}`;
    progress.step(text, { step: 'plan', what: 'rows read', count: rows });
  });
  progress.finish();
  return { rows, isComplete, why: isComplete ? undefined : listing.fault };
}

function samplesOf(draft: Draft, keyField: string): Plan['samples'] {
  const of = (state: DraftState) =>
    draft.ends(state, SAMPLES, 0).map((row) => sampleOf(row, keyField));
  return {
    existing: of('existing'),
    sentBefore: of('sentBefore'),
    rejected: of('rejected'),
    unconfirmed: of('unconfirmed'),
    repeated: of('repeated'),
  };
}

function sampleOf({ row, line, body, reason, id }: ComparedRow, keyField: string): Sample {
  const { [keyField]: code } = body === null ? {} : (JSON.parse(body) as Row);
  return {
    ...{ row, line, code: typeof code === 'string' ? code : null, reason },
    ...(id === null ? {} : { id }),
  };
}

/** Columns that no field takes, with the first value of each. */
function columnsNotSent({ source, mapping, groupBy }: Planning): Readonly<Record<string, string>> {
  const sent = [...columnsSent(mapping)];
  const isSent = (name: string) =>
    name === groupBy || sent.some((one) => one === name || one.startsWith(`${name}.`));
  const found: Record<string, string> = {};
  for (const name of source.columns) {
    if (isSent(name) || isAddedColumn(name)) continue;
    found[name] = firstValue(source, name);
  }
  return found;
}

/** @returns why nothing is sent; undefined if the plan can be confirmed */
function refusalOf(
  plan: Omit<Plan, 'refusal'>,
  planning: Planning,
  ctx: Context,
): ProcError | undefined {
  const { counts, digest, items } = plan;
  if (planning.digest !== undefined && planning.digest.toLowerCase() !== digest)
    return new ProcError(
      'invalid_input',
      `--digest ${planning.digest}: the plan has the digest ${digest}; nothing was sent`,
      {
        hint: isDryRun(ctx.typed)
          ? 'Review the plan, then use its digest'
          : `Review the plan, then use its digest: ${typedAgain(ctx.typed, ['--dry-run'], ['--digest'])}`,
        details: { digest, expected: planning.digest },
      },
    );
  const { typed } = ctx;
  return (
    unverifiedRefusal(plan, planning) ??
    items?.refusal ??
    tooManyCreated(counts.create, items?.counts.newItems ?? 0, planning, typed) ??
    tooManyRejected(plan, planning, typed)
  );
}

/** If the list cannot be verified, any pending row may already exist. */
export function unverifiedRefusal(
  { list, counts: { create, existing } }: Pick<Plan, 'list' | 'counts'>,
  { target }: Pick<Planning, 'target'>,
): ProcError | undefined {
  if (list === undefined || list.isComplete || create === 0) return undefined;
  const others =
    existing === 0 ? '' : `. ${rowsIn(existing, 'other row is', 'other rows are')} known to exist`;
  const why = list.why === undefined ? '' : `. ${list.why[0]!.toUpperCase()}${list.why.slice(1)}`;
  return new ProcError(
    'catalogue_unverified',
    `cannot verify that the list of ${target.many} is complete: ${rowsIn(create)} may already exist, so nothing was sent${others}${why}`,
    {
      hint: 'Detect the parameter names: proc doctor. If the service returns every list in one response, set PROC_LIST_NAMES=paging=none',
      details: { unverified: create, existing },
    },
  );
}

/** @param newItems that lines of these rows define in place */
function tooManyCreated(
  rows: number,
  newItems: number,
  { choices: { maxCreate }, groupBy }: Planning,
  typed: readonly string[],
): ProcError | undefined {
  const create = rows + newItems;
  if (maxCreate === undefined || create <= maxCreate) return undefined;
  const items = newItems === 0 ? '' : ` and ${rowsIn(newItems, 'item', 'items')}`;
  return new ProcError(
    'invalid_input',
    `${countIn({ groupBy }, rows)}${items} would be created, more than --max-create ${maxCreate}; nothing was sent`,
    {
      hint: isDryRun(typed)
        ? 'Raise --max-create'
        : `To see the plan, run: ${typedAgain(typed, ['--dry-run'])}`,
      details: { create, maxCreate },
    },
  );
}

function tooManyRejected(
  { counts: { rejected, rows }, samples }: Omit<Plan, 'refusal'>,
  { choices, groupBy }: Planning,
  typed: readonly string[],
): ProcError | undefined {
  const limit = mostOf(choices.maxRejected, rows);
  if (limit === undefined || rejected <= limit) return undefined;
  const [first] = samples.rejected;
  const example =
    first === undefined || first.reason === null
      ? ''
      : ` (${rowSentence({ ...first, reason: problemIn(first.reason) })})`;
  return new ProcError(
    'invalid_input',
    `${grouped(rejected)} of ${countIn({ groupBy }, rows)} ${rejected === 1 ? 'is' : 'are'} rejected${example}, more than --max-rejected ${choices.maxRejected}; nothing was sent`,
    {
      hint: isDryRun(typed) ? undefined : `To see which, run: ${typedAgain(typed, ['--dry-run'])}`,
      details: { rejected, samples: samples.rejected.map(withReason) },
    },
  );
}

/** A hint must not name the command that was just run. */
function isDryRun(typed: readonly string[]): boolean {
  return typed.includes('--dry-run');
}
