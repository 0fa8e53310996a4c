import type { Ports } from '../../core/ports.ts';
import type { Next } from '../../core/result.ts';
import { inShell, targetFlags } from '../../core/text/typed.ts';
import {
  type ImportReportMessages,
  importReportMessages,
} from '../../messages/reports/import-report.ts';
import { SANDBOX_PROFILE } from '../../settings/read/built-in.ts';
import { isSent } from '../phases.ts';
import type { RunHeader } from '../store/facts.ts';
import type { Summary } from '../store/run-summary.ts';
import { countedIn } from './words.ts';

type Run = Pick<Summary, 'header' | 'phase'>;
type Verb = 'resume' | 'resolve';
type HintPorts = Ports<'io' | 'self'>;

/** The command that resumes a run. `-p` and `-e` come from the run, or from the current command. */
export function resumeCommand({ header }: Pick<Run, 'header'>, ports: HintPorts): string {
  return runCommand('resume', header, ports);
}

export function nextCommand(run: Summary, ports: HintPorts): string {
  return runCommand(run.left === 'resolve' ? 'resolve' : 'resume', run.header, ports);
}

/** The command that gives up all rows of a run without an outcome. A script cannot answer its question. */
export function giveUpCommand(header: RunHeader, ports: HintPorts): string {
  const yes = ports.io.terminal.interactive ? '' : ' --yes';
  return `${runCommand('resolve', header, ports)} --drop --all${yes}`;
}

/**
 * E.g. ` -p acme -e staging`, for a suggested command: the user may have switched to another
 * profile since. Empty if the run used no profile, or the sandbox.
 */
export function placeFlags({ profile, environment }: RunHeader): string {
  if (profile === undefined || profile === SANDBOX_PROFILE) return '';
  const where = environment === undefined ? '' : ` -e ${inShell(environment)}`;
  return ` -p ${inShell(profile)}${where}`;
}

/** @param ports if the current command may say where a run without a profile is */
export function runCommand(verb: Verb, header: RunHeader, ports?: Ports<'self'>): string {
  const flags = placeFlags(header) || (ports === undefined ? '' : targetFlags(ports.self.flags));
  return `proc imports ${verb} ${inShell(header.run)}${flags}`;
}

/** @returns the flags that `typedAgain` adds, and the flags that it leaves out */
export function placeWords({
  profile,
  environment,
}: RunHeader): [add: readonly string[], without: readonly string[]] {
  if (profile === undefined) return [[], []];
  const where = environment === undefined ? [] : ['-e', environment];
  return [
    ['-p', profile, ...where],
    ['-p', '--profile', '-e', '--env'],
  ];
}

export interface NextStep {
  readonly what: 'wait' | 'resume' | 'lookUp' | 'resolve' | 'repair' | 'writeRejected';
  readonly rows: number;
  readonly command: string;
}

/** What to do, before its command: `Send the 3 rows that are left:`. */
export function stepText(
  { what, rows }: NextStep,
  { next }: ImportReportMessages,
  rejectedFile: string | undefined,
): string {
  if (what === 'writeRejected') return next.writeRejected;
  return what === 'repair' ? next.repair(rows, rejectedFile ?? '') : next[what](rows);
}

/** The same for programs. */
export function nextFor(
  run: Summary,
  rejectedFile: string | undefined,
  ports: Ports<'io' | 'self'>,
): readonly Next[] {
  const words = importReportMessages(countedIn(run.header));
  return nextSteps(run, rejectedFile, ports).map((step) => {
    const text = stepText(step, words, rejectedFile);
    return { command: step.command, why: text.replace(/:$/, '') };
  });
}

/**
 * What the user can do next, the most urgent first. Empty if there is nothing to do.
 *
 * @param rejectedFile the file of rejected rows, if it exists
 */
export function nextSteps(
  run: Summary,
  rejectedFile: string | undefined,
  ports: Ports<'io' | 'self'>,
): readonly NextStep[] {
  const { counts, header, open, parked, isLost, isRunning } = run;
  if (isRunning) {
    const rows = counts.pending + (counts.sending ?? 0);
    return [{ what: 'wait', rows, command: `proc imports report ${inShell(header.run)}` }];
  }
  const steps: NextStep[] = [];
  if (parked > 0 && !isLost) {
    steps.push({
      what: 'resolve',
      rows: parked,
      command: runCommand('resolve', run.header, ports),
    });
  }
  if (!isLost && counts.pending > 0) {
    steps.push({ what: 'resume', rows: counts.pending, command: nextCommand(run, ports) });
  } else if (!isLost && open > 0) {
    steps.push({ what: 'lookUp', rows: open, command: resumeCommand(run, ports) });
  }
  const rejected = counts.rejected - run.repaired;
  if (rejected > 0) {
    const flags = placeFlags(header);
    steps.push(
      rejectedFile === undefined
        ? {
            what: 'writeRejected',
            rows: rejected,
            command: `proc imports resume ${inShell(header.run)}${flags} --rejected FILE`,
          }
        : {
            what: 'repair',
            rows: rejected,
            command: `proc ${header.noun} import ${inShell(rejectedFile)}${flags}`,
          },
    );
  }
  return steps;
}

export function isUnsent({ phase }: Pick<Summary, 'phase'>): boolean {
  return !isSent(phase);
}
