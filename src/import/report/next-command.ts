import type { Ports } from '../../core/ports.ts';
import { inShell, targetFlags } from '../../core/text/typed.ts';
import { placeFlags } from '../ledger/place-flags.ts';
import type { Summary } from '../ledger/run-summary.ts';

type Run = Pick<Summary, 'header' | 'phase'>;
type HintPorts = Ports<'io' | 'self'>;

/** The command that resumes a run. `-p` and `-e` come from the run, or from the current command. */
export function resumeCommand(
  { header, phase }: Run,
  { io: { terminal }, self: { flags } }: HintPorts,
): string {
  const { run, environment: where } = header;
  // Phases in which the next command asks for a confirmation. For a staged run, that command is
  // `imports send`: nextCommand replaces `resume` by `send`.
  const asks = header.isStaged === true ? ['staged'] : ['staging', 'planned'];
  const needsYes = !terminal.interactive && asks.includes(phase);
  // `--yes` alone does not confirm a write to a protected environment, so name the environment.
  const isNamed = needsYes && where !== 'local' && where !== undefined;
  const flagsOfTarget =
    placeFlags(header) || targetFlags(flags) || (isNamed ? ` -e ${inShell(where)}` : '');
  return `proc imports resume ${inShell(run)}${flagsOfTarget}${needsYes ? ' --yes' : ''}`;
}

export function resolveCommand(run: Run, ports: HintPorts): string {
  return resumeCommand(run, ports).replace(' resume ', ' resolve ');
}

export function nextCommand(run: Summary, ports: HintPorts): string {
  if (run.left === 'send') return resumeCommand(run, ports).replace(' resume ', ' send ');
  return run.left === 'resolve' ? resolveCommand(run, ports) : resumeCommand(run, ports);
}

/** The command that discards a run. A script cannot answer its question, and needs `--yes`. */
export function discardCommand(run: string, { io: { terminal } }: Pick<HintPorts, 'io'>): string {
  return `proc imports discard ${inShell(run)}${terminal.interactive ? '' : ' --yes'}`;
}
