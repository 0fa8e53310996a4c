import { isOn } from '../../core/process/is-on.ts';
import { type Access, allows, FULL_ACCESS } from '../../core/service/access.ts';
import { inShell } from '../../core/text/typed.ts';
import {
  type KnownEnvironment,
  ruledBy,
  type Selection,
  type Sources,
} from '../read/select-target.ts';

/**
 * The lowest access level of the environments that {@link ruledBy} finds, and of `PROC_READ_ONLY`. */
export function accessOf(sources: Sources, selection: Selection): Access {
  const candidates = [
    ...ruledBy(sources, selection).map(ofEnvironment),
    ...(isOn(sources.env.PROC_READ_ONLY) ? [OF_VARIABLE] : []),
  ];
  const [first = FULL_ACCESS, ...others] = candidates;
  return others.reduce((lowest, one) => (allows(one, lowest.level) ? lowest : one), first);
}

const OF_VARIABLE: Access = {
  level: 'read',
  place: 'PROC_READ_ONLY',
  reason: 'PROC_READ_ONLY limits this process to reads',
  raise: () => 'To allow it, unset PROC_READ_ONLY',
};

function ofEnvironment(known: KnownEnvironment): Access {
  if (known.settings === undefined) return FULL_ACCESS;
  const { profile, environment, settings } = known;
  const { access: level } = settings;
  if (level === undefined) return FULL_ACCESS;
  const place = `${profile}/${environment}`;
  return {
    level,
    place,
    reason: `${place} has the access level ${level}`,
    raise: (to) =>
      `To allow it: proc profile set ${inShell(profile)} -e ${inShell(environment)} access=${inShell(to)}`,
  };
}
