import type { Context } from '../../context.ts';
import { ProcError } from '../../core/errors.ts';
import { grouped, numberText } from '../../core/numbers.ts';
import type { RecordResult, Row } from '../../core/result.ts';
import { rowSentence, sentence } from '../../core/row-problem.ts';
import { listed, someOf } from '../../core/wording.ts';
import { truncate } from '../../terminal/width.ts';
import { confirm } from '../../write.ts';
import { sentBy } from '../draft/draft.ts';
import { findingText } from '../report/findings.ts';
import { headingOf } from '../report/run-summary.ts';
import { countedIn, countIn, importing, placeOf, rowsIn } from '../report/words.ts';
import type { LastSent, OtherNames } from '../run-header.ts';
import { NO_LINES, type Plan, type Planning, type SampleRow } from './plan.ts';

const MOST_COLUMNS = 12;
const VALUE_WIDTH = 48;

/** Shows the plan at a terminal; otherwise only what a person should check. */
export function sayPlan(plan: Plan, planning: Planning, ctx: Context): void {
  const say = (kind: 'notice' | 'warning', text: string) => ctx.io.say({ kind, text });
  const { create, lookedUp, unconfirmed } = plan.counts;
  const sentBefore = sentBeforeText(plan, planning);
  if (ctx.io.terminal.interactive) say('notice', planText(plan, planning, sentBefore));
  else {
    for (const found of plan.findings) say('warning', findingText(found));
    for (const text of notesOn(plan)) say('notice', text);
    if (sentBefore !== undefined && create + lookedUp > 0) say('notice', sentBefore);
    if (plan.resent !== undefined)
      say('notice', `of the rows to create, ${resentText(plan.resent)}`);
  }
  if (sentBefore === undefined || create + lookedUp > 0) return;
  const advice =
    unconfirmed === 0
      ? 'To send them again, add --again'
      : 'To see what is unconfirmed, run: proc imports list --open';
  say('warning', `nothing is sent: ${sentBefore}. ${advice}`);
}

/** What a terminal shows of the result: it has just shown the plan as text. */
const SHORT = new Set(
  'dryRun source rows create existing sentBefore repeated rejected unconfirmed digest'.split(' '),
);

/** The plan as the result of a dry run. */
export function planResult(plan: Plan, planning: Planning, ctx: Context): RecordResult {
  const { rejected, rows } = plan.counts;
  const text = `${grouped(rejected)} of ${countIn(planning, rows)} would be rejected`;
  const wouldReject =
    rejected === 0 ? undefined : new ProcError('rows_rejected', text, { details: { rejected } });
  const value = planRecord(plan, planning);
  const { interactive } = ctx.io.terminal;
  const columns = Object.keys(value)
    .filter((key) => !interactive || (SHORT.has(key) && value[key] !== 0))
    .map((key) => ({ key, header: headingOf(key), kind: 'count' as const }));
  // A refused plan is still a result. Its refusal decides the exit code, as in a real import.
  const failure = plan.refusal ?? wouldReject;
  return { kind: 'record', value, columns, isBrief: interactive, failure };
}

/** @throws ProcError `confirmation_required` if the plan is not confirmed */
export async function confirmPlan(
  { counts, items, resent }: Plan,
  { target, source }: Planning,
  ctx: Context,
): Promise<void> {
  const what = importing(counts.create, target, source.name, items?.counts.newItems);
  const again = resent === undefined ? '' : `, of which ${resentText(resent)}`;
  await confirm(ctx, 'bulk', `${what}${again}`);
  ctx.signal.throwIfAborted();
}

/** `2 existing rows have another name in the catalogue: A-1 (file: Bolt; catalogue: Bolts), …`. */
export function otherNamesText({ count, samples }: OtherNames): string {
  const names = samples.map(
    (one) => `${one.code} (file: ${one.name}; catalogue: ${one.catalogueName})`,
  );
  return `${count === 1 ? '1 existing row has' : `${grouped(count)} existing rows have`} another name in the catalogue: ${someOf(names, count)}`;
}

/** `400 rows were sent before, the last on 2026-10-31 by run R`; undefined if none was. */
function sentBeforeText(
  { counts: { sentBefore, unconfirmed }, lastSent }: Plan,
  planning: Planning,
): string | undefined {
  const count = sentBefore + unconfirmed;
  if (count === 0) return undefined;
  const last = lastSent === undefined ? '' : `, the last on ${lastText(lastSent)}`;
  const open = unconfirmed === 0 ? '' : ` (${grouped(unconfirmed)} unconfirmed)`;
  return `${countIn(planning, count)} ${count === 1 ? 'was' : 'were'} sent before${last}${open}`;
}

/** `400 were sent before (3 unconfirmed, last 2026-10-31 by run R)` */
function resentText({ rows, unconfirmed, last }: NonNullable<Plan['resent']>): string {
  const open = unconfirmed === 0 ? '' : `${grouped(unconfirmed)} unconfirmed, `;
  return `${grouped(rows)} ${rows === 1 ? 'was' : 'were'} sent before (${open}last ${lastText(last)})`;
}

/** `2026-10-31 by run 20261031-070000-1a2b3c` */
function lastText({ at, ...by }: LastSent): string {
  return `${new Date(at).toISOString().slice(0, 10)} by ${sentBy(by)}`;
}

/** Existing rows with other names, columns that are not sent, and rows of other runs. */
function notesOn({ otherNames, notSent, remaining }: Plan): readonly string[] {
  const columns = Object.entries(notSent).map(([name, value]) =>
    value === '' ? name : `${name} (${value})`,
  );
  return [
    ...(otherNames === undefined ? [] : [otherNamesText(otherNames)]),
    ...(columns.length === 0 ? [] : [`Columns not sent: ${listed(columns, MOST_COLUMNS)}`]),
    ...Object.entries(remaining).map(
      ([run, rows]) =>
        `${rowsIn(rows)} of run ${run} ${rows === 1 ? 'remains' : 'remain'}: proc imports show ${run}`,
    ),
  ];
}

function planText(plan: Plan, planning: Planning, sentBefore: string | undefined): string {
  const { counts, list, items, findings, rejected } = plan;
  const { lines, referencedItems, newItems, newItemsWithoutCode } = items?.counts ?? NO_LINES;
  const line = (label: string, count: number, text = '') =>
    count === 0 ? [] : [`  ${label.padEnd(11)}${grouped(count).padStart(8)}  ${text}`.trimEnd()];
  const isUnread = list === undefined && planning.target.listing !== undefined;
  return [
    `${planning.source.name}: ${countIn(planning, counts.rows)}`,
    ...line('to create', counts.create),
    ...plan.rows.map((row) => `    ${sampleText(row, plan.orders)}`),
    ...line('existing', counts.existing),
    ...line('sent before', counts.sentBefore),
    ...line('unconfirmed', counts.unconfirmed + counts.lookedUp),
    ...line('repeated', counts.repeated),
    ...line('rejected', counts.rejected),
    ...rejected.map((one) => `    ${rowSentence(one)}`),
    ...line('lines', lines, `${grouped(referencedItems)} of existing items`),
    ...line('new items', newItems, 'created with the requisitions'),
    ...line('no code', newItemsWithoutCode, 'each line creates an item, even if the name exists'),
    ...findings.map((found) => `    warning: ${findingText(found)}`),
    ...notesOn(plan).map((text) => `  ${text}`),
    ...(isUnread && counts.create > 0 ? ['  (did not check which rows already exist)'] : []),
    ...(items?.isLookedUp === false ? ['  (did not look up which items already exist)'] : []),
    ...(sentBefore === undefined ? [] : [`  (${sentBefore})`]),
    `  (digest ${plan.digest})`,
  ].join('\n');
}

function sampleText({ row, line, values, lines }: SampleRow, orders: Plan['orders']): string {
  const cells = Object.entries(values).map(([field, value]) => {
    const text = typeof value === 'string' ? value : (numberText(value) ?? JSON.stringify(value));
    const shown = field === 'orderId' && Object.hasOwn(orders, text) ? orders[text]! : text;
    return `${field} ${truncate(shown, VALUE_WIDTH)}`;
  });
  const more = lines === undefined ? '' : ` · ${grouped(lines)} lines`;
  return `${placeOf(row, line)}: ${cells.join(' · ')}${more}`;
}

function datedOf(last: LastSent): Row {
  return { ...last, at: new Date(last.at).toISOString() };
}

function planRecord(plan: Plan, planning: Planning): Row {
  const { list, items, findings, otherNames, lastSent, resent, notSent, remaining } = plan;
  const counted = countedIn(planning);
  const { lookedUp, unconfirmed, ...counts } = plan.counts;
  const filled = <T extends object>(value: T) =>
    Object.keys(value).length === 0 ? undefined : value;
  const record = {
    dryRun: true,
    source: planning.source.name,
    counts: counted === 'rows' ? undefined : counted,
    ...counts,
    unconfirmed: unconfirmed + lookedUp,
    digest: plan.digest,
    lastSent: lastSent && datedOf(lastSent),
    resent: resent && { ...resent, last: datedOf(resent.last) },
    list: list && { rows: list.rows, isComplete: list.isComplete },
    catalogue: items?.isLookedUp === false ? 'not read' : undefined,
    ...items?.counts,
    renamed: otherNames?.count,
    otherNames: otherNames?.samples,
    samples: {
      rows: plan.rows,
      rejected: plan.rejected.map(({ reason, ...row }) => ({ ...row, reason: sentence(reason) })),
    },
    notSent: filled(notSent),
    remaining: filled(remaining),
    warnings: filled(findings.map((one) => ({ ...one, message: findingText(one) }))),
    refused: plan.refusal?.message,
    mapping: planning.mapping,
  };
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
