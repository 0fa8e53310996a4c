import type { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { problemIn } from '../../core/problem/row-problem.ts';
import { rowSentence } from '../../core/problem/sentence.ts';
import type { Row } from '../../core/result.ts';
import { grouped } from '../../core/text/decimal.ts';
import type { OpenRun } from '../open-run.ts';
import { contradiction, restartedIds } from '../reconcile/contradicted.ts';
import { type Finding, findingText } from '../report/findings.ts';
import { importRunMessages } from '../report/labels.ts';
import { catalogueWord, otherNamesRecord } from '../report/old-summary.ts';
import { countOf, placeOf, withReason } from '../report/words.ts';
import type { Baseline, Facts } from '../store/facts.ts';
import type { Sample } from '../store/planned-rows.ts';
import { applySentBefore, continueRuns } from '../store/sent-before.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import {
  findRejected,
  type InList,
  inList,
  markExisting,
  readBaseline,
  unverifiedRefusal,
} from './catalogue/baseline.ts';
import {
  askDuplicates,
  checkDuplicates,
  incompleteRefusal,
  makePlan,
  type Plan,
  refusalOf,
} from './import-plan.ts';
import { noteOtherNames, otherNamesText } from './other-names.ts';
import { applyItemsInPlace, type ItemsPlan } from './plan-items-in-place.ts';
import { type PlanValues, valuesText } from './values.ts';

export interface Planned {
  readonly plan: Plan;
  readonly baseline: Baseline | 'not read';
  /** Undefined if no list was read. */
  readonly inList: InList | undefined;
  /** Undefined for nouns without lines. */
  readonly items: ItemsPlan | undefined;
  readonly findings: readonly Finding[];
  readonly otherNames: Facts['otherNames'] | undefined;
  readonly refusal: ProcError | undefined;
  /** Undefined if nobody sees them, or if no row is to be created. */
  readonly values: PlanValues | undefined;
}

/**
 * Marks duplicates and rows that exist, and checks limits such as `--max-create`. The rows must be
 * staged.
 *
 * @throws ProcError `invalid_input` if rows with the same key differ and there is no
 * `--on-duplicate`
 */
export async function planRun(
  opened: OpenRun,
  ports: Ports<'io' | 'api' | 'lookup' | 'ask' | 'store' | 'self'>,
): Promise<Planned> {
  const { run, target } = opened;
  const { choices } = run.header;
  const isListed = target.listing !== undefined;
  await run.noteSeen();
  // Without a list, no key is known to be unique, so only rows with the same body are duplicates.
  if (isListed) await askDuplicates(run, ports);
  checkDuplicates(run, choices, target.keyField, isListed ? undefined : ['fingerprint']);
  await continueRuns(run, isListed, ports);
  if (!isListed) await applySentBefore(run, ports);
  const read = await readBaseline(opened, ports);
  if (read.baseline !== 'not read' && isListed) {
    markExisting(run);
    findRejected(run);
  }
  const otherNames = noteOtherNames(run, target);
  const contradicted = await contradiction(read, opened, ports);
  const { known } = contradicted;
  if (known !== read) run.note({ baseline: 'unproved' });
  const items = target.definesItems === true ? await applyItemsInPlace(opened, ports) : undefined;
  const plan = makePlan(run);
  const refusal =
    incompleteRefusal(run, plan) ??
    contradicted.refusal ??
    (await restartedIds(known, opened, ports)) ??
    unverifiedRefusal(known, opened) ??
    items?.refusal ??
    refusalOf({ ...plan, newItems: items?.counts.newItems }, choices, ports.self.typed);
  return {
    plan,
    baseline: known.baseline,
    inList: inList(run, read),
    items,
    findings: run.get('findings') ?? [],
    otherNames,
    refusal,
    values: undefined,
  };
}

export function planText(
  { plan, baseline, inList, items, findings, otherNames, values }: Planned,
  target: ImportTarget,
  source: string,
): string {
  const { labels } = importRunMessages;
  const { samples } = plan;
  const line = (label: string, count: number, some: readonly Sample[]) =>
    count === 0 ? [] : [tableLine(label, count, some.map((one) => shown(one)).join(', '))];
  const notes = [
    ...(inList === undefined
      ? []
      : [
          `${grouped(inList.codes)} of the file's codes ${inList.codes === 1 ? 'is' : 'are'} in a list of ${inList.isAtLeast ? 'at least ' : ''}${inList.rows === 1 ? '1 row' : `${grouped(inList.rows)} rows`}`,
        ]),
    ...(plan.unguarded > 0
      ? [
          `removed spreadsheet marks (' or ="…") from ${plan.unguarded === 1 ? '1 cell' : `${grouped(plan.unguarded)} cells`}`,
        ]
      : []),
    ...(items?.isLookedUp === false
      ? ['did not read the catalogue: existing items count as new']
      : []),
    ...(baseline === 'not read' ? ['did not check which rows already exist'] : []),
  ];
  return [
    `${source}: ${countOf(plan.rows, plan.counts)}`,
    ...line(labels.create, plan.create, values === undefined ? samples.create : []),
    ...(values === undefined ? [] : valuesText(values)),
    ...line(
      target.listing === undefined ? labels.sentBefore : labels.existing,
      plan.existing,
      samples.existing,
    ),
    ...(otherNames === undefined ? [] : [`    ${otherNamesText(otherNames)}`]),
    ...line(labels.unconfirmed, plan.unconfirmed, samples.unconfirmed),
    ...line(labels.dropped, plan.dropped, []),
    ...line(labels.duplicates, plan.duplicates, samples.duplicates),
    ...line(labels.invalid, plan.invalid, samples.invalid),
    ...(items === undefined ? [] : itemLines(items)),
    ...line(labels.warnings, findings.length, []),
    ...findings.map((found) => `    ${findingText(found)}`),
    ...notes.map((note) => `  (${note})`),
  ].join('\n');
}

const LABELS = [
  ...(['create', 'existing', 'sentBefore', 'unconfirmed', 'dropped'] as const),
  ...(['duplicates', 'invalid', 'lines', 'newItems', 'warnings'] as const),
] as const;

function tableLine(label: string, count: number, text: string): string {
  const { labels } = importRunMessages;
  const width = Math.max(...LABELS.map((key) => labels[key].length));
  return `  ${label.padEnd(width)}${grouped(count).padStart(8)}  ${text}`.trimEnd();
}

function itemLines({ counts }: ItemsPlan): string[] {
  const { labels } = importRunMessages;
  const { lines, referencedItems, newItems, newItemsWithoutCode } = counts;
  const codeless =
    newItemsWithoutCode === 0
      ? ''
      : `, ${grouped(newItemsWithoutCode)} without a code: each line creates a new item, even if the name exists`;
  const created = newItems === 0 ? '' : `created with the requisitions${codeless}`;
  return [
    tableLine(labels.lines, lines, `${grouped(referencedItems)} of existing items`),
    tableLine(labels.newItems, newItems, created),
  ];
}

function shown({ row, line, code, reason }: Sample): string {
  if (reason === null) return code ?? placeOf(row, line);
  const why = rowSentence({ row, line, reason: problemIn(reason) });
  return code === null ? why : `${code} (${why})`;
}

export function planRecord(
  planned: Planned,
  { listing }: ImportTarget,
  source: string,
  mapping: unknown,
): Row {
  const { plan, baseline, inList, items, findings } = planned;
  const { otherNames, refusal, values } = planned;
  const { create, existing, duplicates, invalid, rows, dropped } = plan;
  const { unconfirmed, ...samples } = Object.fromEntries(
    Object.entries(plan.samples).map(([state, some]) => [state, some.map(withReason)]),
  );
  const known =
    listing === undefined
      ? { unconfirmed: plan.unconfirmed, dropped }
      : { catalogue: catalogueWord(baseline) };
  return {
    dryRun: true,
    source,
    ...(plan.counts === 'rows' ? {} : { counts: plan.counts }),
    rows,
    create,
    existing,
    duplicates,
    invalid,
    ...known,
    ...(inList === undefined ? {} : { inList: { codes: inList.codes, rows: inList.rows } }),
    ...(plan.unguarded > 0 ? { unguarded: plan.unguarded } : {}),
    ...items?.counts,
    ...(items?.isLookedUp === false ? { catalogue: 'not read' } : {}),
    ...otherNamesRecord(otherNames),
    samples: {
      ...samples,
      ...(listing === undefined ? { unconfirmed } : {}),
      rows: values?.rows ?? [],
    },
    ...(findings.length === 0 ? {} : { warnings: findings.map(warningRecord) }),
    ...(refusal === undefined ? {} : { refused: refusal.message }),
    mapping,
  };
}

function warningRecord(found: Finding): Row {
  const { kind, count, samples } = found;
  const message = findingText(found);
  return { kind, count, samples, message };
}
