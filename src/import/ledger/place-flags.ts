import { inShell } from '../../core/text/typed.ts';
import { SANDBOX_PROFILE } from '../../settings/read/built-in.ts';
import type { RunHeader } from './header.ts';

/**
 * The flags `-p` and `-e` of a run, for commands that proc suggests: when the user types one,
 * another profile may be in use. Empty if the run used no profile, or the profile of the sandbox.
 */
export function placeFlags({ profile, environment }: RunHeader): string {
  if (profile === undefined || profile === SANDBOX_PROFILE) return '';
  const where = environment === undefined ? '' : ` -e ${inShell(environment)}`;
  return ` -p ${inShell(profile)}${where}`;
}

/** A command about a run that works whichever profile is in use. */
export function runCommand(verb: 'resume' | 'resolve' | 'send', header: RunHeader): string {
  return `proc imports ${verb} ${inShell(header.run)}${placeFlags(header)}`;
}

/** The words of the flags that `typedAgain` adds, and those that it leaves out. */
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
