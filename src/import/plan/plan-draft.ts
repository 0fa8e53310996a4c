import type { Context } from '../../context.ts';
import { ProcError } from '../../core/errors.ts';
import { isObject, parseResponse } from '../../core/json.ts';
import { grouped } from '../../core/numbers.ts';
import type { Row } from '../../core/result.ts';
import { problemIn, rowSentence } from '../../core/row-problem.ts';
import { capital, typedAgain } from '../../core/wording.ts';
import { patientReader } from '../../listing/list-pages.ts';
import { Listing } from '../../listing/listing.ts';
import { scan } from '../../listing/scan.ts';
import type { ComparedRow, Draft } from '../draft/draft.ts';
import { firstValue } from '../map/convert.ts';
import { columnsSent } from '../map/mapping.ts';
import { importPatience } from '../patient-reads.ts';
import { countIn, rowsIn } from '../report/words.ts';
import type { LastSent, PlannedCounts } from '../run-header.ts';
import { mostOf } from '../run-options.ts';
import { isAddedColumn } from '../source/record.ts';
import { planItems } from './line-items.ts';
import type { Plan, Planning, RejectedRow, SampleRow, Staged } from './plan.ts';

const FIRST_ROWS = 3;
const LAST_ROWS = 2;
const CONNECTIONS = 6;
const PER_STEP = 5_000;

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
  if (list !== undefined) draft.compareWithList(by);
  if (choices.again) await draft.compareWithLedger(ledger, where, { ...by, again: false });
  const [before, last] = choices.again ? [draft.planned(), draft.lastSent()] : [];
  await draft.compareWithLedger(ledger, where, by);
  const resent = before && last && resentOf(before, draft.planned(), last);
  const items = target.definesItems === true ? await planItems(draft, planning, ctx) : undefined;
  const counts = draft.planned();
  const plan = {
    ...staged,
    counts,
    rows: draft.ends('pending', FIRST_ROWS, LAST_ROWS).map(sampleOf),
    rejected: draft.ends('rejected', FIRST_ROWS, 0).map(({ row, line, reason }): RejectedRow => {
      return { row, line, reason: problemIn(reason!) };
    }),
    lastSent: draft.lastSent(),
    resent,
    againUpTo: draft.againUpTo,
    otherNames: draft.otherNames(FIRST_ROWS),
    notSent: columnsNotSent(planning),
    remaining: draft.remaining(where),
    list,
    items,
  };
  return { ...plan, refusal: refusalOf(plan, planning, ctx) };
}

/** What `--again` changes. */
function resentOf(before: PlannedCounts, after: PlannedCounts, last: LastSent): Plan['resent'] {
  const openOf = ({ unconfirmed, lookedUp }: PlannedCounts) => unconfirmed + lookedUp;
  const open = openOf(before) - openOf(after);
  const rows = before.sentBefore - after.sentBefore + open;
  // Rows that count as created may be open in an unfinished run, which `--again` does not ignore.
  return rows === 0 ? undefined : { rows, unconfirmed: Math.max(0, open), last };
}

/** How rows are compared with the ledger: for the plan, and again behind the lock. */
export function comparesBy({ choices, target }: Planning) {
  const [keyField = target.keyField] = choices.key ?? [];
  const { sendEqual: sendsEqual, again, exactCodes: isExact } = choices;
  return { sendsEqual, again, isExact, keyField };
}

/** @returns undefined if no list is needed, or there is none, or no key to read it */
export async function readList(
  draft: Draft,
  { target, options, progress }: Pick<Planning, 'target' | 'options' | 'progress'>,
  ctx: Context,
): Promise<Plan['list']> {
  if (target.listing === undefined || !draft.hasPending('NOT NULL')) return undefined;
  if (!(await ctx.http().canRead())) {
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
  const say = () => {
    const text = `Reading the catalogue: ${rowsIn(rows)}`;
    progress.step(text, { step: 'plan', what: 'rows read', count: rows });
  };
  const isComplete = await scan(listing, (page) => {
    draft.addListed(page);
    const said = Math.floor(rows / PER_STEP);
    rows += page.length;
    if (Math.floor(rows / PER_STEP) > said) say();
  });
  say();
  progress.finish();
  return { rows, isComplete, why: isComplete ? undefined : listing.fault };
}

/** Groups and lines of a requisition have the names of flat rows. */
function sampleOf({ row, line, body }: ComparedRow): SampleRow {
  const { groups, ...own } = parseResponse(body!) as Row;
  const values: Record<string, unknown> = own;
  let lines = 0;
  const put = (record: Row, prefix: string) => {
    for (const [field, value] of Object.entries(record)) values[`${prefix}${field}`] ??= value;
  };
  for (const { items, ...group } of objectsIn(groups)) {
    put(group, 'group.');
    for (const { itemId, item, ...rest } of objectsIn(items)) {
      if (itemId !== undefined) put({ id: itemId }, 'item.');
      if (isObject(item)) put(item, 'item.');
      put(rest, '');
      lines++;
    }
  }
  return { row, line, values, ...(lines > 1 ? { lines } : {}) };
}

function objectsIn(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Columns that no field takes, with the first value of each. */
function columnsNotSent({ source, mapping, groupBy }: Planning): Readonly<Record<string, string>> {
  const sent = [...columnsSent(mapping)];
  const isSent = (name: string) =>
    name === groupBy || sent.some((one) => one === name || one.startsWith(`${name}.`));
  const names = source.columns.filter((name) => !isSent(name) && !isAddedColumn(name));
  return Object.fromEntries(names.map((name) => [name, firstValue(source, name)]));
}

/** @returns why nothing is sent; undefined if the plan can be confirmed */
function refusalOf(
  plan: Omit<Plan, 'refusal'>,
  planning: Planning,
  { typed, flags: { dryRun } }: Context,
): ProcError | undefined {
  const { counts, digest, items, rejected: samples } = plan;
  const { maxCreate, maxRejected } = planning.choices;
  const seeing = dryRun ? undefined : typedAgain(typed, ['--dry-run'], ['--digest']);
  const hint = seeing && `To see the plan, run: ${seeing}`;
  const refused = (text: string, details: object) =>
    new ProcError('invalid_input', `${text}; nothing was sent`, { hint, details });
  const expected = planning.digest;
  if (expected !== undefined && expected.toLowerCase() !== digest)
    return refused(`--digest ${expected}: the plan has the digest ${digest}`, { digest, expected });
  const other = unverifiedRefusal(plan, planning) ?? items?.refusal;
  if (other !== undefined) return other;
  const newItems = items?.counts.newItems ?? 0;
  // A look-up may find that an unconfirmed row was not created.
  const rowsToCreate = counts.create + counts.lookedUp;
  const create = rowsToCreate + newItems;
  if (maxCreate !== undefined && create > maxCreate) {
    const more = newItems === 0 ? '' : ` and ${rowsIn(newItems, 'item')}`;
    const what = `${countIn(planning, rowsToCreate)}${more} ${counts.lookedUp > 0 ? 'may' : 'would'} be created`;
    return refused(`${what}, more than --max-create ${maxCreate}`, { create, maxCreate });
  }
  const { rejected, rows } = counts;
  const most = mostOf(maxRejected, rows);
  if (most === undefined || rejected <= most) return undefined;
  const example = samples.length === 0 ? '' : ` (${rowSentence(samples[0]!)})`;
  const what = `${grouped(rejected)} of ${countIn(planning, rows)} ${rejected === 1 ? 'is' : 'are'} rejected`;
  return refused(`${what}${example}, more than --max-rejected ${maxRejected}`, { rejected });
}

/** If the list cannot be verified, any pending row may already exist. */
export function unverifiedRefusal(
  { list, counts: { create, existing } }: Pick<Plan, 'list' | 'counts'>,
  { target }: Pick<Planning, 'target'>,
): ProcError | undefined {
  if (list === undefined || list.isComplete || create === 0) return undefined;
  const others =
    existing === 0 ? '' : `. ${rowsIn(existing, 'other row is', 'other rows are')} known to exist`;
  const why = list.why === undefined ? '' : `. ${capital(list.why)}`;
  return new ProcError(
    'catalogue_unverified',
    `cannot verify that the list of ${target.many} is complete: ${rowsIn(create)} may already exist, so nothing was sent${others}${why}`,
    {
      hint: 'Detect the parameter names: proc doctor. If the service returns every list in one response, set PROC_LIST_NAMES=paging=none',
      details: { unverified: create, existing },
    },
  );
}
