import type { Ports } from '../../core/ports.ts';
import { inShell, targetFlags } from '../../core/text/typed.ts';
import { SANDBOX_PROFILE } from '../../settings/read/built-in.ts';
import { NEXT } from '../phases.ts';
import type { RunHeader } from '../store/facts.ts';
import type { Summary } from '../store/run-summary.ts';

type Run = Pick<Summary, 'header' | 'phase'>;
type Verb = 'resume' | 'resolve' | 'send';
type HintPorts = Ports<'io' | 'self'>;

/** The command that resumes a run. `-p` and `-e` come from the run, or from the current command. */
export function resumeCommand(run: Run, ports: HintPorts): string {
  return continuing('resume', inShell(run.header.run), run, ports);
}

export function resolveCommand(header: RunHeader, ports: HintPorts): string {
  const flags = placeFlags(header) || targetFlags(ports.self.flags);
  return commandFor('resolve', inShell(header.run), flags);
}

export function nextCommand(run: Summary, ports: HintPorts): string {
  if (run.left === 'resolve') return resolveCommand(run.header, ports);
  if (run.left !== 'send') return resumeCommand(run, ports);
  // A run from a statement is sent as its reviewers know it.
  const { run: name, statement } = run.header;
  const reviewed =
    statement === undefined
      ? inShell(name)
      : `${inShell(statement)} --digest ${run.fact('sealed')?.digest ?? 'DIGEST'}`;
  return continuing('send', reviewed, run, ports);
}

function continuing(
  verb: 'resume' | 'send',
  rest: string,
  { header, phase }: Run,
  { io, self }: HintPorts,
): string {
  // Whether the next command asks for a confirmation. For a staged run, that command is
  // `imports send`.
  const { send } = NEXT[phase];
  const asks = header.isStaged === true ? send === 'check' : send === 'stage first';
  const needsYes = asks && !io.terminal.interactive;
  // `--yes` alone does not confirm a write to a protected environment, so name the environment.
  const { environment: where } = header;
  const isNamed = needsYes && where !== 'local' && where !== undefined;
  const flagsOfTarget =
    placeFlags(header) || targetFlags(self.flags) || (isNamed ? ` -e ${inShell(where)}` : '');
  return commandFor(verb, rest, `${flagsOfTarget}${needsYes ? ' --yes' : ''}`);
}

/** The command that discards a run. A script cannot answer its question, and needs `--yes`. */
export function discardCommand(run: string, { io: { terminal } }: Pick<HintPorts, 'io'>): string {
  return `proc imports discard ${inShell(run)}${terminal.interactive ? '' : ' --yes'}`;
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

export function runCommand(verb: Verb, header: RunHeader): string {
  return commandFor(verb, inShell(header.run), placeFlags(header));
}

function commandFor(verb: Verb, rest: string, flags: string): string {
  return `proc imports ${verb} ${rest}${flags}`;
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
