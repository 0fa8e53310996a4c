import { relative } from 'node:path';
import type { Context } from '../../context.ts';
import { type ErrorCode, ProcError } from '../../core/errors.ts';
import type { Next, Row } from '../../core/result.ts';
import { inShell, targetFlags } from '../../core/wording.ts';
import type { Findings } from '../ended-run.ts';
import type { RunHeader } from '../run-header.ts';
import { rejectedFilesOf } from './files.ts';
import {
  countsOf,
  faultsOf,
  isAgainElsewhere,
  isListed,
  isRunning,
  leftOf,
  type ReportedRun,
  stopsAtHit,
} from './run-summary.ts';
import { countedIn, countIn } from './words.ts';

type Where = Pick<RunHeader, 'run' | 'profile' | 'environment'>;

/** E.g. ` -p acme -e staging`: the user may have switched to another profile since. */
function placeFlags({ profile, environment }: Where, ctx?: Pick<Context, 'flags'>): string {
  if (profile === undefined) return ctx === undefined ? '' : targetFlags(ctx.flags);
  return targetFlags({ profile, env: environment });
}

/** @param ctx if the flags of this command may say where a run without a profile is */
export function runCommand(
  verb: 'resume' | 'resolve' | 'show' | 'rows',
  header: Where,
  ctx?: Pick<Context, 'flags'>,
): string {
  const isLocal = verb === 'show' || verb === 'rows';
  return `proc imports ${verb} ${inShell(header.run)}${isLocal ? '' : placeFlags(header, ctx)}`;
}

const CHANGE_CODES =
  'Change the codes of the file to the form that the service stores, and import it';

const GIVE_UP = 'To give the rest of this run up';
const RECORD = 'Check the service, then record what happened';
const ELSEWHERE = 'To see single writes: proc history list --open; and imports';
const CHECK = 'Check these records in the service. What was found';
const REFUSED = 'List those that the service refused';
const WRITE_AGAIN = 'Import the file again, which writes a file of those that are still rejected';
const COUNT_AGAIN =
  'Import the file again, which counts what was sent; or, if no other command sent its rows, resume the run';

export const SEND_AGAIN = 'Import the file again with --again, which sends only what is left';

/** The command that drops what a run has not sent, and what is unconfirmed. */
function givingUp(header: Where, ctx: Pick<Context, 'flags'>): string {
  return `${runCommand('resolve', header, ctx)} --drop --all`;
}

/**
 * Rows of the run may be there under other codes, where no look-up finds them.
 *
 * @throws ProcError `catalogue_unverified` if the service has stored a code of the run in another form
 */
export function refuseStoredAs(
  storedAs: Findings['storedAs'],
  header: Where,
  ctx: Pick<Context, 'flags'>,
): void {
  if (storedAs === undefined) return;
  throw new ProcError(
    'catalogue_unverified',
    `${header.run} stopped because the service stores codes differently: it stored ${storedAs.sent} as ${storedAs.stored}; nothing was sent`,
    {
      hint: `${CHANGE_CODES}. ${GIVE_UP}: ${givingUp(header, ctx)}`,
      details: { run: header.run, ...storedAs },
    },
  );
}

/** Something about a run that is not as it should be, and what the user can do. */
interface Ending {
  readonly error: ProcError;
  readonly next: Next | undefined;
}

type Reporting = Pick<Context, 'flags' | 'env' | 'cwd' | 'io'>;

/** The worst first: an unknown outcome (9), what is left (10), rejected rows (8). */
function endingsOf(run: ReportedRun, ctx: Reporting): readonly Ending[] {
  const { header, findings } = run;
  const { planned } = header;
  const { pending, unconfirmed, rejected } = countsOf(run);
  const rows = (count: number, one: string, many: string) =>
    `${countIn(header, count)} ${count === 1 ? one : many}`;
  const were = (count: number, what: string) => rows(count, `was ${what}`, `were ${what}`);
  const left = leftOf(run);
  const own = unconfirmed - planned.unconfirmed;
  const isUndecided = findings.isUndecided === true && pending === 0;
  const isForPerson = !isListed(header) || left === 'resolve' || isUndecided;
  const endings: Ending[] = [];
  const command = (verb: Parameters<typeof runCommand>[0]) => runCommand(verb, header, ctx);
  /** @param advice a sentence without its full stop */
  const add = (code: ErrorCode, message: string, advice: string, typed?: string) => {
    const hint = typed === undefined ? advice : `${advice}: ${typed}`;
    endings.push({
      error: new ProcError(code, message, { hint, details: detailsOf(run) }),
      next: typed === undefined ? typed : { command: typed, why: `${message}. ${advice}` },
    });
  };
  if (own > 0 && isForPerson)
    add('outcome_unknown', were(own, 'sent but not confirmed'), RECORD, command('resolve'));
  if (planned.unconfirmed > 0) {
    const message = were(planned.unconfirmed, 'sent before but not confirmed');
    add('outcome_unknown', message, ELSEWHERE, 'proc imports list --open');
  }
  for (const fault of faultsOf(findings)) add('not_verified', fault, CHECK, command('show'));
  const open = pending + (isForPerson ? 0 : own);
  if (left === 'resume' && (open > 0 || own === 0)) {
    const what =
      open === 0 ? 'the created rows are still to be verified' : rows(open, 'is left', 'are left');
    const advice = stopsAtHit(header) ? COUNT_AGAIN : 'Resume the run';
    if (open > 0 && isAgainElsewhere(header)) add('incomplete', what, SEND_AGAIN);
    else if (findings.storedAs === undefined) add('incomplete', what, advice, command('resume'));
    else add('incomplete', what, `${CHANGE_CODES}. ${GIVE_UP}`, givingUp(header, ctx));
  }
  if (rejected === 0) return endings;
  const files = rejectedFilesOf(header, ctx);
  const them = files.length > 1 ? 'those' : rejected === 1 ? 'it' : 'them';
  const message = were(rejected, 'rejected');
  for (const file of files) {
    const path = relative(ctx.cwd, file);
    // As a person in this folder would type it.
    const near = ctx.io.terminal.stderrIsTerminal && !path.startsWith('..') ? path : file;
    const importing = `proc ${header.noun} import ${inShell(near)}${placeFlags(header, ctx)}`;
    const advice = `Correct ${them} in ${near}, then import that file`;
    add('rows_rejected', message, advice, importing);
  }
  // Rows that the plan rejected are only in a file, which may be gone, or on another machine.
  if (files.length === 0 && run.rows.rejected)
    add('rows_rejected', message, REFUSED, `${command('rows')} --state rejected`);
  else if (files.length === 0) add('rows_rejected', message, WRITE_AGAIN);
  return endings;
}

/** What the user can do next, the most urgent first. */
export function nextFor(run: ReportedRun, ctx: Reporting): readonly Next[] {
  if (isRunning(run)) return [];
  return endingsOf(run, ctx).flatMap(({ error, next }) => {
    return error.code === 'not_verified' || next === undefined ? [] : [next];
  });
}

/** What is not as it should be, the worst first. */
export function errorsOf(run: ReportedRun, ctx: Reporting): readonly ProcError[] {
  return endingsOf(run, ctx).map(({ error }) => error);
}

/** What a script reads from any error of a run: the run, null if it is not in the ledger, and its counts. */
export function detailsOf(run: ReportedRun): Readonly<Record<string, unknown>> {
  return { run: run.number === undefined ? null : run.header.run, ...countsOf(run) };
}

const STATES = { resume: 'unfinished', resolve: 'unconfirmed', nothing: 'finished' } as const;

/** What commands tell of a run. JSON has these keys; tables show some of them. */
export function runRecord(run: ReportedRun, ctx: Reporting): Row {
  const { header, findings, holder, stop } = run;
  const { planned, source, otherNames, lastSent } = header;
  const { pid, host, since } = holder ?? {};
  const counted = countedIn(header);
  const counts = countsOf(run);
  const record = {
    // Nothing of a run that has nothing to send is kept.
    run: run.number === undefined ? null : header.run,
    state: isRunning(run) ? 'running' : STATES[leftOf(run)],
    noun: header.noun,
    source: source.name,
    profile: header.profile ?? null,
    environment: header.environment ?? null,
    baseUrl: header.baseUrl,
    organization: header.organization ?? null,
    startedAt: header.startedAt,
    ...header.writer,
    counts: counted === 'rows' ? undefined : counted,
    rows: planned.rows,
    ...counts,
    verified: findings.verified,
    createdTwice: findings.doubled,
    createdNotListed: findings.missing,
    createdDiffering: findings.differing,
    lastSent: lastSent && { ...lastSent, at: new Date(lastSent.at).toISOString() },
    renamed: otherNames?.count,
    otherNames: otherNames?.samples,
    seconds: Math.round(findings.workedMs ?? 0) / 1_000,
    process: holder && { pid, host, since, isAlive: isRunning(run) },
    rejectedFile: counts.rejected === 0 ? undefined : rejectedFilesOf(header, ctx).at(-1),
    stopped: stop?.why,
    next: nextFor(run, ctx),
  };
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
