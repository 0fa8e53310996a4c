import { type ErrorCode, ProcError } from '../../core/errors.ts';
import type { GlobalFlags } from '../../core/global-flags.ts';
import type { Next } from '../../core/result.ts';
import { inShell, targetFlags } from '../../core/text/typed.ts';
import type { RunHeader } from '../run-header.ts';
import {
  countsOf,
  faultsOf,
  isListed,
  isRunning,
  leftOf,
  type ReportedRun,
} from './run-summary.ts';
import { countIn } from './words.ts';

type Where = Pick<RunHeader, 'run' | 'profile' | 'environment'>;
interface Flagged {
  readonly flags: Pick<GlobalFlags, 'profile' | 'env'>;
}

/** E.g. ` -p acme -e staging`: the user may have switched to another profile since. */
function placeFlags({ profile, environment }: Where, ports?: Flagged): string {
  if (profile === undefined) return ports === undefined ? '' : targetFlags(ports.flags);
  return targetFlags({ profile, env: environment });
}

/** @param ports if the flags of this command may say where a run without a profile is */
export function runCommand(
  verb: 'resume' | 'resolve' | 'show' | 'rows',
  header: Where,
  ports?: Flagged,
): string {
  const isLocal = verb === 'show' || verb === 'rows';
  return `proc imports ${verb} ${inShell(header.run)}${isLocal ? '' : placeFlags(header, ports)}`;
}

/** The way on after the service has stored a code in another form. A resume is refused. */
export const CHANGE_CODES =
  'Change the codes of the file to the form that the service stores, and import it';

/** The command that drops what a run has not sent, and what is unconfirmed. */
export function givingUp(header: Where, ports: Flagged): string {
  return `${runCommand('resolve', header, ports)} --drop --all`;
}

/** Something about a run that is not as it should be, and what the user can do. */
export interface Ending {
  readonly code: ErrorCode;
  readonly message: string;
  /** A sentence without its full stop. The command comes after a colon. */
  readonly advice: string;
  readonly command: string;
}

/**
 * The worst first: an unknown outcome (9), what is left (10), rejected rows (8).
 *
 * @param files of rejected rows, as {@link endRejected} returns them
 */
export function endingsOf(
  run: ReportedRun,
  files: readonly string[],
  ports: Flagged,
): readonly Ending[] {
  const { header, findings } = run;
  const { planned } = header;
  const { pending, unconfirmed, rejected } = countsOf(run);
  const rows = (count: number, ...[one, many]: readonly [string, string]) =>
    `${countIn(header, count)} ${count === 1 ? one : many}`;
  const were = (count: number, what: string) => rows(count, `was ${what}`, `were ${what}`);
  const own = unconfirmed - planned.unconfirmed;
  const isUndecided = findings.isUndecided === true && pending === 0;
  const isLookedUp = !isListed(header) || leftOf(run) === 'resolve' || isUndecided;
  const endings: Ending[] = [];
  const add = (code: ErrorCode, message: string, advice: string, command: string) =>
    endings.push({ code, message, advice, command });
  if (own > 0 && isLookedUp)
    add(
      'outcome_unknown',
      were(own, 'sent but not confirmed'),
      'Check the service, then record what happened',
      runCommand('resolve', header, ports),
    );
  if (planned.unconfirmed > 0)
    add(
      'outcome_unknown',
      were(planned.unconfirmed, 'sent before but not confirmed'),
      'To see single writes: proc history list --open; and imports',
      'proc imports list --open',
    );
  const verdict = 'Check these records in the service. What was found';
  for (const fault of faultsOf(findings))
    add('not_verified', fault, verdict, runCommand('show', header));
  if (findings.storedAs !== undefined && leftOf(run) !== 'nothing')
    add(
      'incomplete',
      rows(pending + own, 'is left', 'are left'),
      `${CHANGE_CODES}. To give the rest of this run up`,
      givingUp(header, ports),
    );
  else if (leftOf(run) === 'resume' && (pending > 0 || own === 0 || !isLookedUp)) {
    const left = [
      ...(pending === 0 ? [] : [rows(pending, 'is still to be sent', 'are still to be sent')]),
      ...(own === 0 || isLookedUp
        ? []
        : [rows(own, 'is still to be looked up', 'are still to be looked up')]),
    ];
    const message = left.join(', ') || 'the created rows are still to be verified';
    // A resume cannot tell which of equal rows others have sent.
    const advice = header.choices.sendEqual
      ? 'Import the file again, which counts what was sent; or, if no other command sent its rows, resume the run'
      : 'Resume it';
    add('incomplete', message, advice, runCommand('resume', header, ports));
  }
  const refused = files.length > 1 ? rejected - planned.rejected : rejected;
  for (const [at, file] of files.entries()) {
    const count = at === files.length - 1 ? refused : planned.rejected;
    const advice = `Correct ${count === 1 ? 'it' : 'them'} in ${file}, then import that file`;
    add('rows_rejected', were(count, 'rejected'), advice, importCommand(header, file, ports));
  }
  if (rejected > 0 && files.length === 0)
    add(
      'rows_rejected',
      were(rejected, 'rejected'),
      'List those that the service refused',
      `${runCommand('rows', header)} --state rejected`,
    );
  return endings;
}

/** Imports a file with the fields' own names. */
function importCommand(header: RunHeader, file: string, ports: Flagged): string {
  return `proc ${header.noun} import ${inShell(file)}${placeFlags(header, ports)}`;
}

/** What the user can do next, the most urgent first. */
export function nextFor(run: ReportedRun, endings: readonly Ending[]): readonly Next[] {
  if (isRunning(run)) return [];
  return endings
    .filter(({ code }) => code !== 'not_verified')
    .map(({ message, advice, command }) => ({ command, why: `${message}. ${advice}` }));
}

/** The error of an ending. */
export function errorOf({ code, message, advice, command }: Ending, run: ReportedRun): ProcError {
  return new ProcError(code, message, { hint: `${advice}: ${command}`, details: detailsOf(run) });
}

/** What a script reads from any error of a run: the run, null if it is not in the ledger, and its counts. */
export function detailsOf(run: ReportedRun): Readonly<Record<string, unknown>> {
  return { run: run.number === undefined ? null : run.header.run, ...countsOf(run) };
}
