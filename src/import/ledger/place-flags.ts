import { inShell } from '../../core/text/typed.ts';
import { SANDBOX_PROFILE } from '../../settings/read/built-in.ts';
import type { RunHeader } from './header.ts';

/**
 * E.g. ` -p acme -e staging`, for a suggested command: the user may have switched to another
 * profile since. Empty if the run used no profile, or the sandbox.
 */
export function placeFlags({ profile, environment }: RunHeader): string {
  if (profile === undefined || profile === SANDBOX_PROFILE) return '';
  const where = environment === undefined ? '' : ` -e ${inShell(environment)}`;
  return ` -p ${inShell(profile)}${where}`;
}

export function runCommand(verb: 'resume' | 'resolve' | 'send', header: RunHeader): string {
  return `proc imports ${verb} ${inShell(header.run)}${placeFlags(header)}`;
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
