import { isName, NAME_RULE } from '../config/names.ts';
import { ProcError } from '../core/errors.ts';
import type { Say } from '../core/ports.ts';
import { nodeModule } from '../core/process/node-module.ts';
import { Scope } from '../core/scope.ts';
import type { KeyedTarget } from '../core/service-target.ts';
import { show } from '../core/validate.ts';
import type { History, Organizations } from './store.ts';

export interface Named {
  /** `--organization` */
  readonly flag: string | undefined;
  /** `PROC_ORGANIZATION` */
  readonly variable: string | undefined;
}

/**
 * The service and organization of a command. The name of the organization is the first that exists
 * of: `--organization`, `PROC_ORGANIZATION`, the profile of the credential, the name stored for the
 * key, the fingerprint of the key. A key that has written keeps its name.
 *
 * @param keeps whether to store the name of the key
 * @throws ProcError `invalid_usage`
 */
export async function scopeOf(
  target: KeyedTarget,
  named: Named,
  history: History,
  { keeps, say }: { readonly keeps: boolean; readonly say: Say },
): Promise<Scope> {
  const given = checked(named);
  if (history.isShared) return sharedScope(target, named, history, { keeps, say });
  const { baseUrl, credential, credentialProfile } = target;
  const organizations = history.organizations(baseUrl);
  const key =
    credential === undefined
      ? undefined
      : await organizations.fingerprintOf(credential.secret.reveal());
  const names = key === undefined ? [] : await organizations.namesOf(key);
  refuseContradiction(named, credentialProfile, names);
  const first = given === undefined ? undefined : await firstName(names, key, organizations);
  if (first !== undefined && given !== undefined && !names.includes(given)) {
    throw otherName(first, given, named);
  }
  const organization = given ?? credentialProfile ?? names[0] ?? key;
  const all = [...names, ...(key === undefined ? [] : [key])];
  // A key without a name may be a new key of an organization that has already written to this
  // service.
  const isNew = organization === key && names.length === 0;
  const others = isNew ? await organizations.others(all) : [];
  if (keeps && key !== undefined && organization !== undefined && others.length === 0) {
    if (given !== undefined && !names.includes(given)) {
      warnOfNewName(given, await organizations.others(all), say);
      await organizations.rename(key, given);
    } else if (!names.includes(organization)) await organizations.keep(key, organization);
  }
  const markOf = (run: string): string => keyMark(run, target);
  return new Scope({ baseUrl, organization }, { names: all, others, markOf });
}

/** The name under which a key has written. Its fingerprint is no name, and a name without writes may be a mistake. */
async function firstName(
  names: readonly string[],
  key: string | undefined,
  organizations: Organizations,
): Promise<string | undefined> {
  const writers = await organizations.others([]);
  return names.findLast((name) => name !== key && writers.includes(name));
}

function otherName(first: string, given: string, { flag }: Named): ProcError {
  return new ProcError(
    'invalid_usage',
    `this key writes as ${show(first)}, not as ${show(given)}; nothing was sent`,
    {
      hint:
        flag === undefined
          ? `Unset PROC_ORGANIZATION, or set it to ${first}`
          : `Leave out --organization, or use --organization ${first}`,
    },
  );
}

/**
 * In the ledger of a team, only the key tells the organization: profiles are labels of one machine. The first name that
 * a key gets is its name for ever, so that all machines mean the same organization, also in their locks.
 *
 * @throws ProcError `unknown_organization` for a token, because the next token will be another one
 */
async function sharedScope(
  target: KeyedTarget,
  named: Named,
  history: History,
  { keeps, say }: { readonly keeps: boolean; readonly say: Say },
): Promise<Scope> {
  const { baseUrl, credential } = target;
  const given = checked(named);
  const markOf = (run: string): string => keyMark(run, target);
  if (credential === undefined) return new Scope({ baseUrl, organization: given }, { markOf });
  if (credential.scheme === 'bearer') {
    if (given !== undefined) return new Scope({ baseUrl, organization: given }, { markOf });
    throw new ProcError(
      'unknown_organization',
      'a token does not tell the shared ledger which organization it is for; nothing was sent',
      { hint: 'Set PROC_ORGANIZATION to the name of the organization' },
    );
  }
  const organizations = history.organizations(baseUrl);
  const key = await organizations.fingerprintOf(credential.secret.reveal());
  let [name] = await organizations.namesOf(key);
  const others = name === undefined ? await organizations.others([key]) : [];
  const mayKeep = given !== undefined || others.length === 0;
  if (name === undefined && keeps && mayKeep) {
    if (given !== undefined) warnOfNewName(given, others, say);
    name = await organizations.nameFirst(key, given ?? key);
  }
  if (name !== undefined && given !== undefined && given !== name) {
    throw otherName(name, given, named);
  }
  const organization = name ?? given ?? key;
  const isNew = organization === key && name === undefined;
  return new Scope(
    { baseUrl, organization },
    { names: [organization, key], others: isNew ? others : [], markOf },
  );
}

function checked({ flag, variable }: Named): string | undefined {
  const name = flag ?? (variable === '' ? undefined : variable);
  if (name === undefined || isName(name)) return name?.normalize('NFC');
  const where = flag === undefined ? 'PROC_ORGANIZATION' : '--organization';
  throw new ProcError(
    'invalid_usage',
    `${where}: ${show(name)} is not a valid name of an organization`,
    {
      hint: `Choose another: ${NAME_RULE}`,
    },
  );
}

/**
 * PROC_ORGANIZATION may have been set for another key. So if the key belongs to a profile, the
 * variable must have the name of the profile or a known name of the key.
 */
function refuseContradiction(
  { flag, variable }: Named,
  profile: string | undefined,
  names: readonly string[],
): void {
  if (flag !== undefined || !variable || profile === undefined) return;
  if (variable === profile || names.includes(variable)) return;
  throw new ProcError(
    'invalid_usage',
    `PROC_ORGANIZATION is ${show(variable)}, but the key belongs to the profile "${profile}"`,
    {
      hint: `Unset PROC_ORGANIZATION. If ${variable} is another name of the organization of "${profile}", add --organization ${variable}`,
    },
  );
}

/** A new name may be a typing error. */
function warnOfNewName(given: string, others: readonly string[], say: Say): void {
  if (others.includes(given) || others.length === 0) return;
  const text = `organization "${given}" has no writes on this machine; known organizations: ${others.join(', ')}`;
  say({ kind: 'warning', text });
}

/** A short hash of the key, salted with the run's name. It tells two keys apart without revealing them. */
function keyMark(run: string, target: KeyedTarget): string {
  const secret = target.credential?.secret.reveal() ?? '';
  const { hash } = nodeModule('node:crypto');
  return hash('sha256', `${run}\n${secret}`, 'hex').slice(0, 8);
}
