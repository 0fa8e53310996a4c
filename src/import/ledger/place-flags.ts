import { inShell } from '../../core/text/typed.ts';
import { SANDBOX_PROFILE } from '../../settings/read/built-in.ts';
import type { RunHeader } from './header.ts';

/**
 * `-p` and `-e` of the target of a run, for commands that somebody may type when another profile is in use.
 * Empty if the run used no profile, or the built-in one.
 */
export function placeFlags({ profile, environment }: RunHeader): string {
  if (profile === undefined || profile === SANDBOX_PROFILE) return '';
  const where = environment === undefined ? '' : ` -e ${inShell(environment)}`;
  return ` -p ${inShell(profile)}${where}`;
}
