import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Problem } from '../../core/problem/row-problem.ts';
import type { RecordResult, Row } from '../../core/result.ts';
import type { Dialect } from '../../core/service-target.ts';
import { someOf } from '../../core/text/listed.ts';
import { inShell } from '../../core/text/typed.ts';
import { writerOf } from '../../history/written-by.ts';
import { countOf } from '../../messages/import-nouns.ts';
import { importRunMessages } from '../../messages/import-run.ts';
import { sentence } from '../../messages/problems.ts';
import type { Mapping } from '../map/mapping.ts';
import { lookUpAgain } from '../map/references/resolve-references.ts';
import type { OpenRun, SendPorts } from '../open-run.ts';
import { isSent } from '../phases.ts';
import { inList, readBaseline, unverifiedRefusal } from '../plan/catalogue/baseline.ts';
import { sayPlan } from '../plan/confirm-plan.ts';
import { makePlan } from '../plan/import-plan.ts';
import { checkItemsInPlace } from '../plan/plan-items-in-place.ts';
import { type Planned, planRecord } from '../plan/plan-run.ts';
import { planValues } from '../plan/values.ts';
import { beginSending } from '../record-run.ts';
import { nextCommand } from '../report/next-steps.ts';
import { rowsIn } from '../report/words.ts';
import type { SealedPlan } from '../store/facts.ts';
import type { PlannedRows } from '../store/planned-rows.ts';
import { summary } from '../store/run-summary.ts';
import { sentSince, updateFromOtherRuns } from '../store/sent-before.ts';
import type { SealedReference } from '../store/staged-rows.ts';
import { shapeOf } from '../targets/import-target.ts';
import { digestOf, sealedOf, stageAgainHint, stillToSend } from './statement.ts';

const UNSAID = ['dryRun', 'mapping'];

/** The fields to show at a terminal, where the user has just seen the plan. */
const BRIEF = ['run', 'state', 'source', 'rows', 'create', 'digest', 'next'] as const;

/** @returns the plan, with a failure if rows are invalid or the source is incomplete */
export async function sealRun(
  opened: OpenRun,
  planned: Planned,
  workedMs: number,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<RecordResult> {
  const { run, target } = opened;
  const { dialect } = await ports.api.target();
  const { version, ...importer } = writerOf(ports.self.env, ports.io.terminal);
  const plan = {
    at: new Date(ports.self.clock.now()).toISOString(),
    version,
    importer,
    dialect: dialect(target.noun),
    findings: run.get('findings') ?? [],
    fileProblem: run.get('fileProblem'),
    baseline: run.get('baseline'),
    otherNames: run.get('otherNames'),
  };
  const sealed = { ...plan, digest: digestOf(run, plan) };
  await run.advance('seal', { workedMs, sealed });
  return stagedResult(opened, planned, sealed.digest, ports);
}

async function stagedResult(
  { run, target }: OpenRun,
  planned: Planned,
  digest: string,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<RecordResult> {
  const { header } = run;
  const now = summary(run);
  const plan = Object.entries(planRecord(planned, target, header.source.name, undefined));
  const fileProblem = run.get('fileProblem');
  const value: Row = {
    run: header.run,
    state: 'staged',
    ...Object.fromEntries(plan.filter(([key]) => !UNSAID.includes(key))),
    ...(fileProblem === undefined ? {} : { fileProblem: sentence(fileProblem) }),
    digest,
    next: [{ command: nextCommand(now, ports), why: 'Send the rows as they were planned' }],
  };
  const { labels } = importRunMessages;
  const result = {
    kind: 'record',
    idField: 'run',
    value,
    labels,
    failure: failureOf(planned, header.run, header.source.name, fileProblem),
  } as const;
  if (!ports.io.terminal.stdoutIsTerminal) return result;
  return {
    ...result,
    columns: BRIEF.map((key) => ({
      key,
      header: labels[key],
      ...(['rows', 'create'].includes(key) ? { kind: 'count' as const } : {}),
    })),
    isBrief: true,
  };
}

function failureOf(
  { plan }: Planned,
  run: string,
  source: string,
  fileProblem: Problem | undefined,
): ProcError | undefined {
  const { invalid, rows } = plan;
  if (invalid > 0) {
    const rejected = `proc imports rows ${inShell(run)} --state rejected`;
    return new ProcError(
      'rows_rejected',
      `${countOf(invalid, plan.counts)} ${invalid === 1 ? 'is' : 'are'} invalid and will not be sent`,
      {
        hint: `To see which, run: ${rejected}`,
        details: { run, invalid, rows },
      },
    );
  }
  if (fileProblem === undefined) return undefined;
  return new ProcError('rows_rejected', `${source}: ${sentence(fileProblem)}`, {
    details: { run },
  });
}

interface CheckedRun {
  readonly planned: Planned;
  readonly nowExisting: number;
}

/**
 * Checks that the plan of a staged run still holds, and shows the plan.
 *
 * @throws ProcError `plan_changed`
 */
export async function checkStaged(opened: OpenRun, ports: SendPorts): Promise<CheckedRun> {
  const { run } = opened;
  const sealed = sealedOf(run);
  const { baseline, inList, nowExisting } = await checkUnchanged(opened, sealed, ports);
  const plan = makePlan(run);
  const planned: Planned = {
    plan: { ...plan, create: plan.create - nowExisting, existing: plan.existing + nowExisting },
    baseline,
    inList,
    items: undefined,
    findings: run.get('findings') ?? [],
    otherNames: run.get('otherNames'),
    expected: run.expected,
    now: ports.self.clock.now(),
    refusal: undefined,
    values: ports.io.terminal.interactive ? planValues(run) : undefined,
  };
  await sayPlan(opened, planned, ports);
  return { planned, nowExisting };
}

/** Records that a staged run begins to send. Its statement keeps the rows as they were staged. */
export async function beginStaged(
  opened: OpenRun,
  { planned: { plan }, nowExisting }: CheckedRun,
  ports: SendPorts,
): Promise<void> {
  const { run, target, began } = opened;
  const spent = Math.round(ports.self.clock.monotonic() - began);
  const workedMs = (run.get('workedMs') ?? 0) + spent;
  const isListed = target.listing !== undefined;
  const adjust = (planned: PlannedRows): void => {
    if (nowExisting > 0 && isListed) planned.markInCatalogue();
  };
  if (plan.create > 0) await beginSending(opened, { rows: plan.create, workedMs, adjust }, ports);
  else await run.begin('skip', { facts: { workedMs }, adjust });
  if (!isListed) await updateFromOtherRuns(run, ports);
}

interface Change {
  readonly text: string;
  /**
   * Number of rows that the change concerns; 0 if it concerns all rows. `rows` contains the first
   * of them.
   */
  readonly count: number;
  readonly rows: readonly number[];
}

interface CheckedPlan {
  readonly baseline: Planned['baseline'];
  readonly inList: Planned['inList'];
  /** Number of rows to create that exist by now. */
  readonly nowExisting: number;
}

/** Maximum number of rows, and of changes, in the text of an error. */
const NAMED = 5;
/** Maximum number of changes in the details of an error. */
const MOST = 100;

/**
 * Checks that a staged run would still do what was staged. One change is allowed: rows to create may
 * exist by now. For nouns with a list, this needs `--on-existing skip`.
 *
 * @throws ProcError `plan_changed`, with every change and its rows; or why the service cannot be
 *   read
 */
async function checkUnchanged(
  opened: OpenRun,
  sealed: SealedPlan,
  ports: SendPorts,
): Promise<CheckedPlan> {
  const { target } = opened;
  const changes: Change[] = [];
  const dialect = (await ports.api.target()).dialect(target.noun);
  const { noun } = target;
  const en = differences(sealed.dialect, dialect, 'was', 'now');

  if (en !== '') {
    const text = `the dialect of ${noun}: ${en}`;
    changes.push({ text, count: 0, rows: [] });
  }
  // With other parameter names, the responses of the service prove nothing.
  if (changes.length > 0) throw changed(opened, changes);
  changes.push(...(await changedReferences(opened, ports)));
  const checked =
    target.listing === undefined
      ? await sentMeanwhile(opened, changes, ports)
      : await inCatalogue(opened, changes, ports);
  if (target.definesItems === true) await changedItems(opened, changes, ports);
  if (changes.length > 0) throw changed(opened, changes);
  return checked;
}

/**
 * For a staged run that is resumed: checks only the items that rows define in place.
 *
 * @throws ProcError `plan_changed`
 */
export async function checkItemsUnchanged(opened: OpenRun, ports: SendPorts): Promise<void> {
  const changes: Change[] = [];
  await changedItems(opened, changes, ports);
  if (changes.length > 0) throw changed(opened, changes);
}

function changed({ run }: OpenRun, changes: readonly Change[]): ProcError {
  const { run: name } = run.header;
  const shown = () =>
    changes
      .slice(0, NAMED)
      .map((one) => textOf(one))
      .join('; ');
  const rest = changes.length - NAMED;
  const isBegun = isSent(run.phase);
  return new ProcError(
    'plan_changed',
    `the staged plan of ${name} no longer holds: ${shown()}${rest > 0 ? `; and ${rest} more ${rest === 1 ? 'change' : 'changes'}` : ''}${isBegun ? '' : '; nothing was sent'}`,
    {
      hint: isBegun ? stillToSend(name) : stageAgainHint(run.header),
      details: { run: name, changes: changes.map((one) => ({ ...one, text: one.text })) },
    },
  );
}

function textOf({ text, count, rows }: Change): string {
  if (count === 0) return text;
  const row = 'row';
  return `${text} (${row}${count === 1 ? '' : 's'} ${someOf(rows, count)})`;
}

const valueText = (value: unknown): string =>
  value === undefined ? 'not set' : JSON.stringify(value);

/** E.g. `limit was "limit", now "pageSize"`. Empty if nothing differs. */
function differences(was: Dialect, now: Dialect, ...[past, present]: [string, string]): string {
  const keys = [...new Set([...Object.keys(was), ...Object.keys(now)])] as (keyof Dialect)[];
  return keys
    .filter((key) => was[key] !== now[key])
    .map((key) => `${key} ${past} ${valueText(was[key])}, ${present} ${valueText(now[key])}`)
    .join(', ');
}

async function changedReferences(
  { run, target, options }: OpenRun,
  ports: SendPorts,
): Promise<Change[]> {
  const { mapping, groupBy } = run.header;
  const { references = [] } = shapeOf(target, groupBy);
  const each = (visit: (one: SealedReference) => void): void => {
    for (const some of run.rows.sealed.references()) for (const one of some) visit(one);
  };
  const changes: Change[] = [];
  await lookUpAgain<SealedReference>(
    { references, mapping: mapping as Mapping, patienceMs: options.patienceMs },
    each,
    ({ field, typed, value, copied, row, uses }, now) => {
      if (changes.length === MOST) return;
      const shown = `${field} ${JSON.stringify(typed)}`;
      const place = { count: uses, rows: [row] };
      if (now.value !== value) {
        const is = () =>
          now.value ?? (now.problem !== undefined ? sentence(now.problem) : 'nothing');
        const en = `${shown} was ${value}, now ${is()}`;
        changes.push({ text: en, ...place });
      } else if (now.copied !== copied) {
        const en = `${shown} had ${copied}, now ${now.copied}`;
        changes.push({
          text: en,
          ...place,
        });
      }
    },
    ports,
  );
  return changes;
}

async function inCatalogue(
  opened: OpenRun,
  changes: Change[],
  ports: SendPorts,
): Promise<CheckedPlan> {
  const { run } = opened;
  run.commit(() => run.rows.catalogue.clear());
  const known = await readBaseline(opened, ports);
  const refusal = unverifiedRefusal(known, opened);
  if (refusal !== undefined) throw refusal;
  const { planned } = run.rows;
  const { onExisting } = run.header.choices;
  if (known.baseline === 'complete' || known.baseline === 'searched') {
    const gone = planned.vanished(NAMED);
    if (gone.count > 0) {
      const ids = gone.rows
        .map(({ code, id }) => (code === null ? id : `${code} (${id})`))
        .join(', ');
      const text = `no longer in the list: ${ids}`;
      changes.push({ text, count: gone.count, rows: gone.rows.map(({ row }) => row) });
    }
  }
  run.commit(() => run.rows.catalogue.addIndexes());
  const now = planned.countInCatalogue();
  if (now > 0 && onExisting === 'fail') {
    const text = `${rowsIn(now)} ${now === 1 ? 'exists' : 'exist'} now (--on-existing fail)`;
    changes.push({ text, count: now, rows: planned.inCatalogue(NAMED) });
  }
  return {
    baseline: known.baseline,
    inList: inList(run, known, now),
    nowExisting: onExisting === 'skip' ? now : 0,
  };
}

async function sentMeanwhile(
  { run }: OpenRun,
  changes: Change[],
  ports: SendPorts,
): Promise<CheckedPlan> {
  const { created, others, rows } = await sentSince(run, ports);
  if (others > 0) {
    changes.push({
      text: 'another run or command has sent the same rows, and they are unconfirmed or dropped',
      count: others,
      rows,
    });
  }
  return { baseline: 'unproved', inList: undefined, nowExisting: created };
}

async function changedItems(opened: OpenRun, changes: Change[], ports: SendPorts): Promise<void> {
  const { count, rows, refusal } = await checkItemsInPlace(opened, ports);
  if (refusal !== undefined) throw refusal;
  if (count === 0) return;
  const text = 'items that these rows define in place already exist';
  changes.push({ text, count, rows });
}
