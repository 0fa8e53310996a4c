import type { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import type { Baseline } from '../ledger/header.ts';
import type { Sample } from '../ledger/rows/planned-rows.ts';
import { settleSentBefore } from '../ledger/sent/sent-before.ts';
import type { OpenRun } from '../open-run.ts';
import { contradiction } from '../reconcile/contradicted.ts';
import { catalogueWord } from '../report/import-summary.ts';
import { placeOf, rowsIn } from '../report/words.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import { readBaseline, unverifiedRefusal } from './catalogue/baseline.ts';
import { markExisting } from './catalogue/mark-existing.ts';
import { checkDuplicates, makePlan, type Plan, refusalOf } from './import-plan.ts';
import { type ItemsPlan, settleItemsInPlace } from './plan-items-in-place.ts';

export interface Planned {
  readonly plan: Plan;
  readonly baseline: Baseline | 'not read';
  /** What its lines order, where they may define items in place. */
  readonly items: ItemsPlan | undefined;
  /** Why it may not be carried out: a limit that the user set, or items that must exist first. */
  readonly refusal: ProcError | undefined;
}

/**
 * Makes the plan of a staged run: duplicates in the file, what exists in the live catalogue, what is
 * left to create. What it says is what will happen.
 *
 * @throws ProcError where it cannot be made: rows of one code that differ
 */
export async function planRun(
  { journal, target, options, progress }: OpenRun,
  ports: Ports<'io' | 'api' | 'lookup' | 'ask' | 'store' | 'self'>,
): Promise<Planned> {
  const { choices } = journal.header;
  const isListed = target.listing !== undefined;
  // Without a listing no field is known to be unique: only equal rows are the same row.
  checkDuplicates(journal, choices, target.keyField, isListed ? undefined : ['fingerprint']);
  const before = isListed ? 0 : await settleSentBefore(journal, target.create, ports);
  const read = await readBaseline(journal, target, options, ports, progress);
  const existing =
    read.baseline === 'not read' || !isListed ? before : markExisting(journal, choices.onExisting);
  const contradicted = await contradiction(read, journal, target, options.checks, ports);
  const { known } = contradicted;
  const items =
    target.definesItems === true
      ? await settleItemsInPlace(journal, options, ports, progress)
      : undefined;
  const plan = makePlan(journal, choices, existing);
  const refusal =
    contradicted.refusal ??
    unverifiedRefusal(known, journal, target, options.checks, ports) ??
    items?.refusal ??
    refusalOf(plan, choices, ports.self.typed);
  return { plan, baseline: known.baseline, items, refusal };
}

/** The plan as text for a person. */
export function planText(
  { plan, baseline, items }: Planned,
  target: ImportTarget,
  source: string,
): string {
  const line = (label: string, count: number, samples: readonly Sample[]) =>
    count === 0
      ? []
      : [`  ${label.padEnd(11)}${String(count).padStart(8)}  ${samples.map(shown).join(', ')}`];
  return [
    `${source}: ${rowsIn(plan.rows)}`,
    ...line('filtered', plan.filtered, []),
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
    ...(items === undefined ? [] : itemsText(items)),
    ...(baseline === 'not read' ? [`  (whether ${target.many} exist was not looked up)`] : []),
  ].join('\n');
}

function itemsText({ counts, isLookedUp }: ItemsPlan): string[] {
  const { lines, referencedItems, newItems, newItemsWithoutCode } = counts;
  const codeless =
    newItemsWithoutCode === 0
      ? ''
      : `, ${newItemsWithoutCode} without a code: a name identifies no item, so each line defines one`;
  const places = [
    `  ${'lines'.padEnd(11)}${String(lines).padStart(8)}  ${referencedItems} of existing items`,
    `  ${'new items'.padEnd(11)}${String(newItems).padStart(8)}${newItems === 0 ? '' : `  created with them${codeless}`}`,
  ];
  const unread = '  (the catalogue was not read: items that exist count as new)';
  return isLookedUp ? places : [...places, unread];
}

function shown({ row, line, code, reason }: Sample): string {
  const place = placeOf(row, line);
  if (reason === null) return code ?? place;
  return code === null ? `${place} (${reason})` : `${code} (${place}: ${reason})`;
}

/** The plan as the result of `--dry-run`. */
export function planRecord(
  { plan, baseline, items, refusal }: Planned,
  { listing }: ImportTarget,
  source: string,
  mapping: unknown,
): Row {
  const { create, existing, duplicates, invalid, rows, filtered, createAgain, inDoubt, dropped } =
    plan;
  const { inDoubt: doubtful, ...samples } = plan.samples;
  // What cannot be listed has no catalogue, and nothing that exists could be created once more.
  const known =
    listing === undefined
      ? { inDoubt, dropped }
      : { createAgain, catalogue: catalogueWord(baseline) };
  return {
    dryRun: true,
    source,
    rows,
    ...(filtered === 0 ? {} : { filtered }),
    create,
    existing,
    duplicates,
    invalid,
    ...known,
    ...(plan.unguarded > 0 ? { unguarded: plan.unguarded } : {}),
    ...items?.counts,
    ...(items?.isLookedUp === false ? { catalogue: 'not read' } : {}),
    samples: listing === undefined ? { ...samples, inDoubt: doubtful } : samples,
    ...(refusal === undefined ? {} : { refused: refusal.message }),
    mapping,
  };
}
