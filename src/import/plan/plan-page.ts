import type { Context } from '../../context.ts';
import { ProcError } from '../../core/errors.ts';
import type { RecordResult, Row } from '../../core/result.ts';
import { problemIn, rowSentence } from '../../core/row-problem.ts';
import { grouped } from '../../core/text/decimal.ts';
import { listed, someOf } from '../../core/text/listed.ts';
import { confirmBulk } from '../../write.ts';
import { sentBy } from '../draft/draft.ts';
import { findingText } from '../report/findings.ts';
import { headingOf } from '../report/run-summary.ts';
import { countedIn, countIn, importing, placeOf, rowsIn, withReason } from '../report/words.ts';
import type { LastSent, OtherNames } from '../run-header.ts';
import type { Plan, Planning, Sample } from './plan.ts';
import { valuesText } from './values.ts';

/** Shows the plan at a terminal; otherwise only what a person should check. */
export function sayPlan(plan: Plan, planning: Planning, ctx: Context): void {
  const { interactive } = ctx.io.terminal;
  const warn = (text: string) => ctx.io.say({ kind: 'warning', text });
  if (interactive) ctx.io.say({ kind: 'notice', text: planText(plan, planning) });
  else {
    for (const found of plan.findings) warn(findingText(found));
    if (plan.otherNames !== undefined)
      ctx.io.say({ kind: 'notice', text: otherNamesText(plan.otherNames) });
    for (const text of [...notSentTexts(plan), ...remainingTexts(plan)])
      ctx.io.say({ kind: 'notice', text });
  }
  const { create, lookedUp, sentBefore, unconfirmed } = plan.counts;
  if (create + lookedUp === 0 && sentBefore + unconfirmed > 0)
    warn(`nothing is sent: ${sentBeforeText(plan, planning)}. To send them again, add --again`);
}

/** The plan as the result of a dry run. */
export function planResult(plan: Plan, planning: Planning, ctx: Context): RecordResult {
  // A refused plan is still a result. Its refusal decides the exit code, as in a real import.
  const failure = plan.refusal ?? rejectedIn(plan, planning);
  const value = planRecord(plan, planning);
  const { interactive } = ctx.io.terminal;
  const keys = interactive ? BRIEF.filter((key) => value[key] !== 0) : Object.keys(value);
  const columns = keys.map((key) => ({ key, header: headingOf(key), kind: 'count' as const }));
  return { kind: 'record', value, columns, isBrief: interactive, failure };
}

/** The short plan, for a terminal that has just shown the whole plan as text. */
const BRIEF = [
  ...(['dryRun', 'source', 'rows', 'create', 'existing', 'sentBefore'] as const),
  ...(['repeated', 'rejected', 'unconfirmed', 'digest'] as const),
] as const;

/** @throws ProcError `confirmation_required` if the plan is not confirmed */
export async function confirmPlan(
  { counts, items, resent }: Plan,
  { target, source }: Planning,
  ctx: Context,
): Promise<void> {
  const newItems = items?.counts.newItems ?? 0;
  const again =
    resent === undefined
      ? ''
      : `, of which ${grouped(resent.rows)} ${resent.rows === 1 ? 'was' : 'were'} sent before (last ${lastText(resent.last)})`;
  const what = importing(counts.create, target, source.name, newItems) + again;
  await confirmBulk(ctx, what);
  ctx.signal.throwIfAborted();
}

function rejectedIn({ counts }: Plan, { groupBy }: Planning): ProcError | undefined {
  const { rejected, rows } = counts;
  if (rejected === 0) return undefined;
  return new ProcError(
    'rows_rejected',
    `${grouped(rejected)} of ${countIn({ groupBy }, rows)} would be rejected`,
    { details: { rejected } },
  );
}

/** `2 existing rows have another name in the catalogue: A-1 (file: Bolt; catalogue: Bolts), …`. */
export function otherNamesText({ count, samples }: OtherNames): string {
  const names = samples.map(
    (one) => `${one.code} (file: ${one.name}; catalogue: ${one.catalogueName})`,
  );
  return `${count === 1 ? '1 existing row has' : `${grouped(count)} existing rows have`} another name in the catalogue: ${someOf(names, count)}`;
}

/** `400 imputations were sent before, the last on 2026-10-31 by run R` */
function sentBeforeText(
  { counts: { sentBefore, unconfirmed }, lastSent }: Plan,
  { groupBy }: Planning,
): string {
  const count = sentBefore + unconfirmed;
  const last = lastSent === undefined ? '' : `, the last on ${lastText(lastSent)}`;
  const open = unconfirmed === 0 ? '' : ` (${grouped(unconfirmed)} unconfirmed)`;
  return `${countIn({ groupBy }, count)} ${count === 1 ? 'was' : 'were'} sent before${last}${open}`;
}

/** `2026-10-31 by run 20261031-070000-1a2b` */
function lastText({ at, ...by }: LastSent): string {
  return `${new Date(at).toISOString().slice(0, 10)} by ${sentBy(by)}`;
}

/** `Columns not sent: Notes (urgent), Tags (a list of 3)`; nothing if all are sent. */
function notSentTexts({ notSent }: Plan): readonly string[] {
  const columns = Object.entries(notSent).map(([name, value]) =>
    value === '' ? name : `${name} (${value})`,
  );
  return columns.length === 0 ? [] : [`Columns not sent: ${listed(columns, MOST_COLUMNS)}`];
}

const MOST_COLUMNS = 12;

function remainingTexts({ remaining }: Plan): readonly string[] {
  return Object.entries(remaining).map(
    ([run, rows]) =>
      `${rowsIn(rows)} of run ${run} ${rows === 1 ? 'remains' : 'remain'}: proc imports show ${run}`,
  );
}

const WIDTH = 'new items'.length + 2;

function tableLine(label: string, count: number, text = ''): string {
  return `  ${label.padEnd(WIDTH)}${grouped(count).padStart(8)}  ${text}`.trimEnd();
}

function planText(plan: Plan, planning: Planning): string {
  const { counts, samples, values, list, items, otherNames, findings } = plan;
  const { source, groupBy } = planning;
  const line = (label: string, count: number, some: readonly Sample[]) =>
    count === 0 ? [] : [tableLine(label, count, some.map(shown).join(', '))];
  const notes = [
    ...(list === undefined && planning.target.listing !== undefined && counts.create > 0
      ? ['did not check which rows already exist']
      : []),
    ...(list === undefined
      ? []
      : [
          `${grouped(counts.existing)} of the file's codes ${counts.existing === 1 ? 'is' : 'are'} in a list of ${rowsIn(list.rows)}`,
        ]),
    ...(items?.isLookedUp === false
      ? ['did not read the catalogue: existing items count as new']
      : []),
    ...(counts.sentBefore + counts.unconfirmed > 0 ? [sentBeforeText(plan, planning)] : []),
    ...remainingTexts(plan),
    `digest ${plan.digest}`,
  ];
  return [
    `${source.name}: ${countIn({ groupBy }, counts.rows)}`,
    ...line('to create', counts.create, []),
    ...(values === undefined ? [] : valuesText(values)),
    ...line('existing', counts.existing, samples.existing),
    ...(otherNames === undefined ? [] : [`    ${otherNamesText(otherNames)}`]),
    ...line('sent before', counts.sentBefore, samples.sentBefore),
    ...line('unconfirmed', counts.unconfirmed + counts.lookedUp, samples.unconfirmed),
    ...line('repeated', counts.repeated, samples.repeated),
    ...line('rejected', counts.rejected, samples.rejected),
    ...(items === undefined ? [] : itemLines(items)),
    ...findings.map((found) => `    warning: ${findingText(found)}`),
    ...notSentTexts(plan).map((text) => `  ${text}`),
    ...notes.map((note) => `  (${note})`),
  ].join('\n');
}

function itemLines({ counts }: NonNullable<Plan['items']>): string[] {
  const { lines, referencedItems, newItems, newItemsWithoutCode } = counts;
  const codeless =
    newItemsWithoutCode === 0
      ? ''
      : `, ${grouped(newItemsWithoutCode)} without a code: each line creates a new item, even if the name exists`;
  const created = newItems === 0 ? '' : `created with the requisitions${codeless}`;
  return [
    tableLine('lines', lines, `${grouped(referencedItems)} of existing items`),
    tableLine('new items', newItems, created),
  ];
}

function shown({ row, line, code, reason }: Sample): string {
  if (reason === null) return code ?? placeOf(row, line);
  const why = rowSentence({ row, line, reason: problemIn(reason) });
  return code === null ? why : `${code} (${why})`;
}

function planRecord(plan: Plan, planning: Planning): Row {
  const { counts, samples, list, items, findings, otherNames, refusal, values, lastSent } = plan;
  const { source, mapping, groupBy, target } = planning;
  const counted = countedIn({ groupBy });
  const { rows, create, existing, sentBefore, rejected, repeated, unconfirmed, lookedUp } = counts;
  return {
    dryRun: true,
    source: source.name,
    ...(counted === 'rows' ? {} : { counts: counted }),
    ...{ rows, create, existing, sentBefore, repeated, rejected },
    unconfirmed: unconfirmed + lookedUp,
    digest: plan.digest,
    ...(lastSent === undefined
      ? {}
      : { lastSent: { ...lastSent, at: new Date(lastSent.at).toISOString() } }),
    ...(target.listing === undefined
      ? {}
      : { catalogue: list?.isComplete === true || create === 0 ? 'complete' : 'unverified' }),
    ...(list === undefined ? {} : { list: { rows: list.rows } }),
    ...items?.counts,
    ...(items?.isLookedUp === false ? { catalogue: 'not read' } : {}),
    ...(otherNames === undefined
      ? {}
      : { renamed: otherNames.count, otherNames: otherNames.samples }),
    samples: {
      ...Object.fromEntries(
        Object.entries(samples).map(([state, some]) => [state, some.map(withReason)]),
      ),
      rows: values?.rows ?? [],
    },
    ...(Object.keys(plan.notSent).length === 0 ? {} : { notSent: plan.notSent }),
    ...(Object.keys(plan.remaining).length === 0 ? {} : { remaining: plan.remaining }),
    ...(findings.length === 0
      ? {}
      : { warnings: findings.map((found) => ({ ...found, message: findingText(found) })) }),
    ...(refusal === undefined ? {} : { refused: refusal.message }),
    mapping,
  };
}
