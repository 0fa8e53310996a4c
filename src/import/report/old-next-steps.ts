import type { Ports } from '../../core/ports.ts';
import type { Next } from '../../core/result.ts';
import { inShell, targetFlags } from '../../core/text/typed.ts';
import type { RunHeader } from '../store/facts.ts';
import type { Summary } from '../store/run-summary.ts';
import { countedIn, countOf } from './words.ts';

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
 * profile since. Empty if the run used no profile.
 */
function placeFlags({ profile, environment }: RunHeader): string {
  if (profile === undefined) return '';
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

/**
 * What the user can do next, the most urgent first. Empty if there is nothing to do.
 *
 * @param rejectedFile the file of rejected rows, if it exists
 */
export function nextFor(
  run: Summary,
  rejectedFile: string | undefined,
  ports: Ports<'io' | 'self'>,
): readonly Next[] {
  const { counts, header, open, parked, isLost, isRunning } = run;
  const many = (count: number) => countOf(count, countedIn(header));
  const are = (count: number) => `${many(count)} ${count === 1 ? 'is' : 'are'}`;
  if (isRunning) {
    const rows = counts.pending + (counts.sending ?? 0);
    const why = `The import is not finished: ${are(rows)} being sent or pending`;
    return [{ command: `proc imports show ${inShell(header.run)}`, why }];
  }
  const steps: Next[] = [];
  if (parked > 0 && !isLost) {
    const why = `${many(parked)} ${parked === 1 ? 'was' : 'were'} sent but not confirmed. Check the service, then record what happened`;
    steps.push({ command: runCommand('resolve', header, ports), why });
  }
  if (!isLost && counts.pending > 0) {
    const why = `${are(counts.pending)} still to be sent. Resume the import`;
    steps.push({ command: nextCommand(run, ports), why });
  } else if (!isLost && open > 0) {
    const why = `${are(open)} unconfirmed. To look ${open === 1 ? 'it' : 'them'} up, resume the import`;
    steps.push({ command: resumeCommand(run, ports), why });
  }
  const { rejected } = counts;
  if (rejected > 0) {
    const flags = placeFlags(header);
    steps.push(
      rejectedFile === undefined
        ? {
            command: `proc imports resume ${inShell(header.run)}${flags} --rejected FILE`,
            why: 'Write the rejected rows to a file, correct them there and import that file',
          }
        : {
            command: `proc ${header.noun} import ${inShell(rejectedFile)}${flags}`,
            why: `Correct the rejected rows in ${rejectedFile}, then import that file`,
          },
    );
  }
  return steps;
}
