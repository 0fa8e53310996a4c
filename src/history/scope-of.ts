import { keyMark } from '../client/key-mark.ts';
import { ProcError } from '../core/errors.ts';
import type { Say } from '../core/ports.ts';
import { Scope } from '../core/scope.ts';
import type { KeyedTarget } from '../core/service-target.ts';
import { show } from '../core/validate.ts';
import { isName, NAME_RULE } from '../settings/read/names.ts';
import type { History } from './store.ts';

/** What the user says about the organization of the key. */
export interface Named {
  /** `--organization` */
  readonly flag: string | undefined;
  /** `PROC_ORGANIZATION` */
  readonly variable: string | undefined;
}

/**
 * The service and organization of a command. A profile is an organization if its own credential is
 * used; any other key is known by its fingerprint, or by the name that somebody gave it.
 *
 * @param keeps what is learned of the key is remembered
 * @throws ProcError `invalid_usage`
 */
export function scopeOf(
  target: KeyedTarget,
  named: Named,
  history: History,
  { keeps, say }: { readonly keeps: boolean; readonly say: Say },
): Scope {
  const { baseUrl, credential, credentialProfile } = target;
  const given = checked(named);
  const organizations = history.organizations(baseUrl);
  const key =
    credential === undefined ? undefined : organizations.fingerprintOf(credential.secret.reveal());
  const names = key === undefined ? [] : organizations.namesOf(key);
  refuseContradiction(named, credentialProfile, names);
  const organization = given ?? credentialProfile ?? names[0] ?? key;
  const all = [...names, ...(key === undefined ? [] : [key])];
  // A key without a name, where others have written, may be theirs: regenerated, or a new token.
  const isNew = organization === key && names.length === 0;
  const others = isNew ? organizations.others(all) : [];
  if (keeps && key !== undefined && organization !== undefined && others.length === 0) {
    if (given !== undefined && names[0] !== given) {
      warnOfNewName(given, organizations.others(all), say);
      organizations.rename(key, given);
    } else if (!names.includes(organization)) organizations.keep(key, organization);
  }
  const markOf = (run: string): string => keyMark(run, target);
  return new Scope({ baseUrl, organization }, { names: all, others, markOf });
}

function checked({ flag, variable }: Named): string | undefined {
  const name = flag ?? (variable === '' ? undefined : variable);
  if (name === undefined || isName(name)) return name?.normalize('NFC');
  const where = flag === undefined ? 'PROC_ORGANIZATION' : '--organization';
  throw new ProcError('invalid_usage', `${where}: ${show(name)} cannot name an organization`, {
    hint: `Choose another: ${NAME_RULE}`,
  });
}

/** A variable that was set for one key must not rename another one: a flag may. */
function refuseContradiction(
  { flag, variable }: Named,
  profile: string | undefined,
  names: readonly string[],
): void {
  if (flag !== undefined || !variable || profile === undefined) return;
  if (variable === profile || names.includes(variable)) return;
  throw new ProcError(
    'invalid_usage',
    `PROC_ORGANIZATION is ${show(variable)}, but the key is that of the profile "${profile}"`,
    { hint: `Unset PROC_ORGANIZATION, or add --organization ${variable} if both are the same` },
  );
}

/** A slip of the finger would make an organization that has sent nothing. */
function warnOfNewName(given: string, others: readonly string[], say: Say): void {
  if (others.includes(given) || others.length === 0) return;
  const text = `organization "${given}" has written nothing here so far; others have: ${others.join(', ')}`;
  say({ kind: 'warning', text });
}
