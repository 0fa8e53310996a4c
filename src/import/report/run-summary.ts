import type { Ports } from '../../core/ports.ts';
import type { Column, Next, Row } from '../../core/result.ts';
import { grouped } from '../../core/text/decimal.ts';
import { inShell, targetFlags } from '../../core/text/typed.ts';
import { elapsedText } from '../../core/time/duration.ts';
import type { StoredRun } from '../../ledger/run-queries.ts';
import type { EndedRun, FaultyRows, Findings } from '../ended-run.ts';
import type { Holder } from '../import-lock.ts';
import type { RunHeader } from '../run-header.ts';
import { targetOf } from '../targets/all-targets.ts';
import { countedIn, countOf } from './words.ts';

/** What can have become of a record. The sum of these counts is the number of records. */
export const COUNTS = [
  ...(['created', 'existing', 'sentBefore', 'repeated'] as const),
  ...(['rejected', 'unconfirmed', 'dropped', 'pending'] as const),
] as const;
export type Counts = Readonly<Record<(typeof COUNTS)[number], number>>;

/** A run as reports see it: of this command, or from the ledger. */
export interface ReportedRun extends Omit<EndedRun, 'stop'> {
  /** The process that works on it, or was killed while it did. */
  readonly holder?: Holder | undefined;
}

export function reported(run: StoredRun, holder?: Holder): ReportedRun {
  const { number, rows, hasEnded } = run;
  const findings = (run.findings ?? {}) as Findings;
  return { number, rows, hasEnded, findings, header: run.header as RunHeader, holder };
}

export function isRunning({ holder }: ReportedRun): boolean {
  return holder?.isAlive === true;
}

export function isListed({ noun }: Pick<RunHeader, 'noun'>): boolean {
  return targetOf(noun).listing !== undefined;
}

export function countsOf(run: ReportedRun): Counts {
  const { rows, header } = run;
  const { planned } = header;
  const of = (state: keyof typeof rows) => rows[state] ?? 0;
  const known = isListed(header);
  const sending = of('sending');
  return {
    created: of('created'),
    existing: planned.existing + (known ? of('existing') : 0),
    // Without a list, only the ledger can tell that a row exists.
    sentBefore: planned.sentBefore + (known ? 0 : of('existing')),
    repeated: planned.repeated,
    rejected: planned.rejected + of('rejected'),
    // If no process works on the run, nobody waits for the answers.
    unconfirmed: planned.unconfirmed + of('unconfirmed') + (isRunning(run) ? 0 : sending),
    dropped: of('dropped') + of('abandoned'),
    pending: of('pending') + (isRunning(run) ? sending : 0),
  };
}

/** `resolve`: only a person can tell the outcome of its unconfirmed rows. */
export function leftOf(run: ReportedRun): 'resume' | 'resolve' | 'nothing' {
  const { number, hasEnded, rows, header } = run;
  if (number === undefined) return 'nothing';
  const { pending = 0, unconfirmed = 0, sending = 0 } = rows;
  const isOpen = unconfirmed + sending > 0;
  if (hasEnded) return isOpen ? 'resolve' : 'nothing';
  return isOpen && pending === 0 && !isListed(header) && !isRunning(run) ? 'resolve' : 'resume';
}

const STATES = { resume: 'unfinished', resolve: 'unconfirmed', nothing: 'finished' } as const;

/** Whether a resume cannot tell more of its unconfirmed rows. */
function hasBeenLookedUp(run: ReportedRun): boolean {
  const isUndecided = run.findings.isUndecided === true && (run.rows.pending ?? 0) === 0;
  return isUndecided || leftOf(run) === 'resolve';
}

/** What commands tell of a run. JSON has these keys; tables show some of them. */
export function runRecord(run: ReportedRun): Row {
  const { header, findings, holder } = run;
  const { planned, source, otherNames, lastSent, unguarded } = header;
  const counted = countedIn(header);
  const { missing, doubled, differing, verified } = findings;
  return {
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
    ...(counted === 'rows' ? {} : { counts: counted }),
    rows: planned.rows,
    ...countsOf(run),
    ...(verified === undefined ? {} : { verified }),
    ...(doubled === undefined ? {} : { createdTwice: doubled }),
    ...(missing === undefined ? {} : { createdNotListed: missing }),
    ...(differing === undefined ? {} : { createdDiffering: differing }),
    ...(lastSent === undefined
      ? {}
      : { lastSent: { ...lastSent, at: new Date(lastSent.at).toISOString() } }),
    ...(otherNames === undefined
      ? {}
      : { renamed: otherNames.count, otherNames: otherNames.samples }),
    ...(unguarded === 0 ? {} : { unguarded }),
    seconds: Math.round(findings.workedMs ?? 0) / 1_000,
    ...(holder === undefined
      ? {}
      : {
          process: {
            pid: holder.pid,
            host: holder.host,
            since: holder.since,
            isAlive: holder.isAlive === true,
          },
        }),
  };
}

/** Headings of tables, by key. JSON and CSV have the keys. */
export const LABELS: Readonly<Record<string, string>> = {
  sentBefore: 'sent before',
  counts: 'counts of',
  createdTwice: 'created, exists twice',
  createdNotListed: 'created, not in the list',
  createdDiffering: 'created, but differs in the list',
  renamed: 'existing under another name',
  otherNames: 'other names',
  unguarded: 'apostrophes removed',
  unconfirmedRows: 'unconfirmed rows',
  rejectedFile: 'file of rejected rows',
  resultsFile: 'file of results',
  stopped: 'stopped because',
  next: 'next step',
  baseUrl: 'base URL',
  startedAt: 'started',
};

/** Without counts that are zero, and what is not known. */
export function columnsOf(value: Row, keys: readonly string[]): readonly Column[] {
  const counts: readonly string[] = COUNTS;
  return keys
    .filter((key) => value[key] !== null && !(counts.includes(key) && value[key] === 0))
    .filter((key) => value[key] !== undefined && !isEmptyList(value[key]))
    .map((key) => ({
      key,
      header: LABELS[key] ?? key,
      ...(counts.includes(key) || key === 'rows' ? ({ kind: 'count' } as const) : {}),
    }));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** E.g. `2 of 3 rows created, 1 rejected`. Counts that are zero are left out. */
export function countsText(run: ReportedRun): string {
  const counts = countsOf(run);
  const { header } = run;
  const of = countOf(header.planned.rows, countedIn(header));
  const words: Readonly<Record<string, string>> = { sentBefore: 'sent before' };
  const others = COUNTS.slice(1).filter((key) => counts[key] > 0);
  const parts = others.map((key) => `${grouped(counts[key])} ${words[key] ?? key}`);
  return [`${grouped(counts.created)} of ${of} created`, ...parts].join(', ');
}

/** `items.csv: 2 of 3 rows created, 1 rejected (1.1 s)`. */
export function summarySentence(run: ReportedRun): string {
  const { header, findings } = run;
  return `${header.source.name}: ${countsText(run)} (${elapsedText((findings.workedMs ?? 0) / 1_000)})`;
}

/** Records that a message names. */
const NAMED = 3;

/** What the list shows after the run that should not be so. */
export function faultsOf(findings: Findings): readonly string[] {
  const { missing, doubled, differing, unread, verified } = findings;
  const texts = [
    textOf(missing, 'the list does not show it', 'the list does not show them'),
    textOf(
      doubled,
      'the list has another record with the same code',
      'the list has other records with the same codes',
    ),
    textOf(differing, 'the list shows other values for it', 'the list shows other values for them'),
  ].filter((text) => text !== undefined);
  if (texts.length > 0 || verified !== false) return texts;
  return [`the created rows could not be verified${unread === undefined ? '' : `: ${unread}`}`];
}

function textOf(faulty: FaultyRows | undefined, one: string, many: string): string | undefined {
  if (faulty === undefined || faulty.count === 0) return undefined;
  const { count, rows } = faulty;
  const named = rows.slice(0, NAMED).map(({ row, code, id, other }) => {
    const ids = [id, other].filter((one) => one !== null && one !== undefined).join(', ');
    return `${code ?? `row ${row}`}${ids === '' ? '' : ` (${ids})`}`;
  });
  const more = count > named.length ? ` and ${grouped(count - named.length)} more` : '';
  const created = `${countOf(count, 'rows')} ${count === 1 ? 'was' : 'were'} created`;
  return `${created}, but ${count === 1 ? one : many}: ${named.join(', ')}${more}`;
}

type Where = Pick<RunHeader, 'run' | 'profile' | 'environment'>;

/** E.g. ` -p acme -e staging`: the user may have switched to another profile since. */
function placeFlags({ profile, environment }: Where, ports?: Ports<'self'>): string {
  if (profile === undefined) return ports === undefined ? '' : targetFlags(ports.self.flags);
  const where = environment === undefined ? '' : ` -e ${inShell(environment)}`;
  return ` -p ${inShell(profile)}${where}`;
}

/** @param ports if the flags of this command may say where a run without a profile is */
export function runCommand(
  verb: 'resume' | 'resolve' | 'show' | 'rows',
  header: Where,
  ports?: Ports<'self'>,
): string {
  const isLocal = verb === 'show' || verb === 'rows';
  return `proc imports ${verb} ${inShell(header.run)}${isLocal ? '' : placeFlags(header, ports)}`;
}

/** The way on after the service has stored a code in another form. A resume is refused. */
export const CHANGE_CODES =
  'Change the codes of the file to the form that the service stores, and import it';

/** The command that drops what a run has not sent, and what is unconfirmed. */
export function givingUp(header: Where, ports: Ports<'self'>): string {
  return `${runCommand('resolve', header, ports)} --drop --all`;
}

interface NextOptions {
  /** The file of rejected rows, if it is there. */
  readonly rejectedFile?: string | undefined;
  /** All rows that a look-up can decide were looked up. */
  readonly isLookedUp?: boolean | undefined;
}

/** What the user can do next, the most urgent first. */
export function nextFor(
  run: ReportedRun,
  { rejectedFile, isLookedUp = hasBeenLookedUp(run) }: NextOptions,
  ports: Ports<'self'>,
): readonly Next[] {
  const { header } = run;
  const { pending, unconfirmed, rejected } = countsOf(run);
  const many = (count: number) => countOf(count, countedIn(header));
  const are = (count: number) => `${many(count)} ${count === 1 ? 'is' : 'are'}`;
  const own = unconfirmed - header.planned.unconfirmed;
  if (isRunning(run)) {
    const left = [
      ...(pending > 0 || own === 0 ? [`${are(pending)} being sent or pending`] : []),
      ...(own > 0 ? [`${are(own)} unconfirmed`] : []),
    ].join(', ');
    const why = `The import is not finished: ${left}`;
    return [{ command: runCommand('show', header), why }];
  }
  const steps: Next[] = [];
  if (own > 0 && isLookedUp) {
    const why = `${many(own)} ${own === 1 ? 'was' : 'were'} sent but not confirmed. Check the service, then record what happened`;
    steps.push({ command: runCommand('resolve', header, ports), why });
  }
  if (header.planned.unconfirmed > 0) {
    const why = `${are(header.planned.unconfirmed)} unconfirmed in an earlier import`;
    steps.push({ command: 'proc imports list --open', why });
  }
  if (run.findings.storedAs !== undefined && leftOf(run) !== 'nothing') {
    const why = `${CHANGE_CODES}. This gives the rest of this run up`;
    steps.push({ command: givingUp(header, ports), why });
  } else if (leftOf(run) === 'resume' && (pending > 0 || !isLookedUp)) {
    const why =
      pending > 0
        ? `${are(pending)} still to be sent`
        : own > 0
          ? `${are(own)} unconfirmed and still to be looked up`
          : 'The created rows are still to be verified';
    steps.push({ command: runCommand('resume', header, ports), why });
  }
  if (rejected > 0 && rejectedFile !== undefined) {
    steps.push({
      command: importCommand(header, rejectedFile, ports),
      why: `Correct the rejected rows in ${rejectedFile}, then import that file`,
    });
  } else if (rejected > 0 && run.number !== undefined) {
    const why = `${are(rejected)} rejected. Rows that the service refused are listed with their reasons`;
    steps.push({ command: `${runCommand('rows', header)} --state rejected`, why });
  }
  return steps;
}

/** Imports a file with the fields' own names. */
export function importCommand(header: RunHeader, file: string, ports: Ports<'self'>): string {
  const groupBy = header.groupBy === undefined ? '' : ` --group-by ${inShell(header.groupBy)}`;
  return `proc ${header.noun} import ${inShell(file)}${groupBy}${placeFlags(header, ports)}`;
}
