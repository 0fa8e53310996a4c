import type { Ports } from '../../core/ports.ts';
import { inShell, targetFlags } from '../../core/text/typed.ts';
import type { RunHeader } from '../ledger/header.ts';
import { placeFlags } from '../ledger/place-flags.ts';
import type { Summary } from '../ledger/run-summary.ts';
import { NEXT } from '../phases.ts';

type Run = Pick<Summary, 'header' | 'phase'>;
type HintPorts = Ports<'io' | 'self'>;

/** The command that resumes a run. `-p` and `-e` come from the run, or from the current command. */
export function resumeCommand({ header, phase }: Run, ports: HintPorts): string {
  // Whether the next command asks for a confirmation. For a staged run, that command is
  // `imports send`: nextCommand replaces `resume` by `send`.
  const { send } = NEXT[phase];
  const asks = header.isStaged === true ? send === 'check' : send === 'stage first';
  return commandFor('resume', header, asks && !ports.io.terminal.interactive, ports);
}

export function resolveCommand(header: RunHeader, ports: HintPorts): string {
  return commandFor('resolve', header, false, ports);
}

function commandFor(
  verb: 'resume' | 'resolve',
  header: RunHeader,
  needsYes: boolean,
  { self: { flags } }: HintPorts,
): string {
  const { run, environment: where } = header;
  // `--yes` alone does not confirm a write to a protected environment, so name the environment.
  const isNamed = needsYes && where !== 'local' && where !== undefined;
  const flagsOfTarget =
    placeFlags(header) || targetFlags(flags) || (isNamed ? ` -e ${inShell(where)}` : '');
  return `proc imports ${verb} ${inShell(run)}${flagsOfTarget}${needsYes ? ' --yes' : ''}`;
}

export function nextCommand(run: Summary, ports: HintPorts): string {
  if (run.left === 'send') return sendCommand(run, ports);
  return run.left === 'resolve' ? resolveCommand(run.header, ports) : resumeCommand(run, ports);
}

/** The command that discards a run. A script cannot answer its question, and needs `--yes`. */
export function discardCommand(run: string, { io: { terminal } }: Pick<HintPorts, 'io'>): string {
  return `proc imports discard ${inShell(run)}${terminal.interactive ? '' : ' --yes'}`;
}

/** A run from a statement is sent as its reviewers know it. */
function sendCommand(run: Summary, ports: HintPorts): string {
  const command = resumeCommand(run, ports).replace(' resume ', ' send ');
  const { run: name, statement } = run.header;
  if (statement === undefined) return command;
  const reviewed = `${inShell(statement)} --digest ${run.fact('sealed')?.digest ?? 'DIGEST'}`;
  return command.replace(inShell(name), () => reviewed);
}
