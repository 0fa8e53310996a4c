import type { Ports } from '../../core/ports.ts';
import { inShell } from '../../core/text/typed.ts';
import type { Summary } from '../ledger/run-summary.ts';

type Run = Pick<Summary, 'header' | 'phase'>;
type Place = Ports<'io' | 'self'>;

/** What is typed to resume a run, with the profile if it was named for this command. */
export function resumeCommand(
  { header, phase }: Run,
  { io: { terminal }, self: { flags } }: Place,
): string {
  const { run, environment: where } = header;
  const needsYes = !terminal.interactive && ['staging', 'planned'].includes(phase);
  const profile = flags.profile === undefined ? '' : ` -p ${inShell(flags.profile)}`;
  // Nobody can be asked: what was not confirmed needs the answer, and where that is protected the place.
  const named = flags.env ?? (needsYes && where !== 'local' ? where : undefined);
  const environment = named === undefined ? '' : ` -e ${inShell(named)}`;
  return `proc imports resume ${inShell(run)}${profile}${environment}${needsYes ? ' --yes' : ''}`;
}

/** What is typed, with further words, to record the outcome of the run's rows. */
export function resolveCommand(run: Run, place: Place): string {
  return resumeCommand(run, place).replace(' resume ', ' resolve ');
}

/** What is typed next about a run that is not over: resume if that can help, else resolve. */
export function nextCommand(run: Summary, place: Place): string {
  return run.left === 'resolve' ? resolveCommand(run, place) : resumeCommand(run, place);
}
