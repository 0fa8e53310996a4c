import { ProcError } from '../../core/errors.ts';
import type { Env } from '../../core/ports.ts';
import { PUBLISHED_KEYS } from '../../core/service/hiding.ts';
import { Secret } from '../../core/service/secret.ts';
import type { Credential, Scheme } from '../../core/service-target.ts';
import { inShell } from '../../core/text/typed.ts';
import { SANDBOX_KEY } from '../read/built-in.ts';
import {
  describes,
  type KnownEnvironment,
  type Selection,
  type Sources,
} from '../read/select-target.ts';
import { type OriginKind, type Sourced, sourced } from '../read/setting-origin.ts';
import { cleanSecret, SCHEME_NAME } from './clean-secret.ts';
import { runProgram } from './run-program.ts';

/** @throws ProcError `credential_command` */
export async function runCredentialCommand(
  argv: readonly string[],
  scheme: Scheme,
  env: Env,
  limitMs = 10_000,
): Promise<string> {
  const where = `credentialCommand "${argv[0]!}"`;
  const stdout = await printedBy(argv, where, env, limitMs);
  const secret = cleanSecret(stdout, scheme, where, 'credential_command');
  if (secret === '') {
    throw new ProcError('credential_command', `${where} printed nothing`, {
      hint: 'Make it print the secret on standard output',
    });
  }
  return secret;
}

/**
 * @param where names the setting and the command, for errors
 * @throws ProcError `credential_command`
 */
async function printedBy(
  argv: readonly string[],
  where: string,
  env: Env,
  limitMs = 10_000,
): Promise<string> {
  const { stdout, problem } = await runProgram(argv, env, limitMs);
  if (problem === undefined) return stdout;
  throw new ProcError('credential_command', `${where} ${problem}`, {
    hint: `Run it yourself to see why: ${argv.join(' ')}`,
  });
}

/** Instead of an origin: the public sandbox key may be sent to any loopback address. */
const ANY_LOOPBACK = Symbol('any loopback port');

/** A key, a command that prints one, or a certificate, with the only origin that may get it. */
export interface Bound<T> {
  readonly value: T;
  readonly origin: string | typeof ANY_LOOPBACK;
}

interface BoundWords {
  /** E.g. `credential`. */
  readonly what: string;
  readonly verb: 'sent to' | 'shown to' | 'used for';
  /** What to do if `PROC_BASE_URL` selects another address. */
  readonly instead: string;
  /** What to do if the address of the environment has changed. */
  readonly again: string;
}

/**
 * The value, if the selected address is the one that it was stored for.
 *
 * @throws ProcError `credential_origin`
 */
export function unbind<T>(
  { value, origin }: Bound<T>,
  { profile, environment }: KnownEnvironment,
  { url }: Pick<Selection, 'url'>,
  { what, verb, instead, again }: BoundWords,
): T {
  const { origin: selected, isLoopback } = url.value;
  if (origin === ANY_LOOPBACK ? isLoopback : origin === selected) return value;
  const message = `the ${what} of ${profile}/${environment} belongs to ${String(origin)} and is not ${verb} ${selected}`;
  throw new ProcError('credential_origin', message, {
    hint: url.origin === 'variable' ? `${instead}, or unset PROC_BASE_URL` : again,
  });
}

/** A credential for the selected address. A `credentialCommand` has not run yet. */
export type FoundCredential =
  | { readonly kind: 'secret'; readonly credential: Credential }
  | { readonly kind: 'command'; readonly scheme: Scheme; readonly argv: readonly string[] };

/**
 * A credential from a variable wins over a stored credential, but is sent only to an address that
 * the user selected. Exception: a public sandbox key is sent to any loopback address. A stored
 * credential is sent only to the origin for which it was saved.
 *
 * @throws ProcError `credential_conflict`, `credential_origin`, `no_credential`
 */
export function findCredential(sources: Sources, selection: Selection): Sourced<FoundCredential> {
  const given = fromVariables(sources.env);
  if (given !== undefined) {
    if (!isPublished(given.value, selection) && !isAddressChosen(selection)) {
      throw notChosen(given.place);
    }
    return found(given.value, 'variable', given.place);
  }
  const owner = selection.known ?? selection.passedOver;
  const stored = owner === undefined ? undefined : storedCredential(owner);
  if (owner === undefined || stored === undefined) throw noCredential(selection);
  if (stored.origin === ANY_LOOPBACK && !selection.url.value.isLoopback) {
    throw noCredential(selection);
  }
  const bound = unbind(stored, owner, selection, {
    what: 'credential',
    verb: 'sent to',
    instead: 'Set PROC_API_KEY or PROC_TOKEN for this address',
    again: `Store the credential for the new address: ${againCommand(owner)}`,
  });
  const place = `${owner.profile}/${owner.environment}`;
  return sourced(bound, owner.settings === undefined ? 'default' : 'profile', place);
}

export async function revealCredential(found: FoundCredential, env: Env): Promise<Credential> {
  if (found.kind === 'secret') return found.credential;
  const secret = await runCredentialCommand(found.argv, found.scheme, env);
  return { scheme: found.scheme, secret: new Secret(secret) };
}

function fromVariables(env: Env): Sourced<Credential> | undefined {
  const apiKey = cleanSecret(env.PROC_API_KEY ?? '', 'api-key', 'PROC_API_KEY');
  const token = cleanSecret(env.PROC_TOKEN ?? '', 'bearer', 'PROC_TOKEN');
  if (apiKey !== '' && token !== '') {
    throw new ProcError('credential_conflict', 'PROC_API_KEY and PROC_TOKEN are both set', {
      hint: 'Unset one of them: a request uses an API key or a token, not both',
    });
  }
  if (apiKey !== '') {
    return sourced({ scheme: 'api-key', secret: new Secret(apiKey) }, 'variable', 'PROC_API_KEY');
  }
  if (token === '') return undefined;
  return sourced({ scheme: 'bearer', secret: new Secret(token) }, 'variable', 'PROC_TOKEN');
}

/** Whether the user selected this address. The built-in default does not count. */
function isAddressChosen({ url, profile }: Selection): boolean {
  return url.origin === 'variable' || profile?.origin !== 'default';
}

function isPublished(credential: Credential, selection: Selection): boolean {
  return PUBLISHED_KEYS.includes(credential.secret.reveal()) && selection.url.value.isLoopback;
}

/** The command that binds the credential to the present address of its environment. */
function againCommand({ profile, environment, settings }: KnownEnvironment): string {
  const argv = settings?.credentialCommand;
  const place = `${inShell(profile)} -e ${inShell(environment)}`;
  return argv === undefined
    ? `proc auth login -p ${place}`
    : `proc profile set ${place} credentialCommand=${inShell(JSON.stringify(argv))}`;
}

function storedCredential({
  profile,
  environment,
  url,
  settings,
}: KnownEnvironment): Bound<FoundCredential> | undefined {
  if (settings === undefined) {
    const credential = { scheme: 'api-key', secret: new Secret(SANDBOX_KEY) } as const;
    return { value: { kind: 'secret', credential }, origin: ANY_LOOPBACK };
  }
  const { credential, credentialCommand: argv } = settings;
  if (credential !== undefined && argv !== undefined) {
    throw new ProcError(
      'credential_conflict',
      `${profile}/${environment} has both a stored ${SCHEME_NAME[credential.scheme]} and a credentialCommand`,
      {
        hint: `Remove the stored one: proc auth logout -p ${inShell(profile)} -e ${inShell(environment)}`,
      },
    );
  }
  if (argv !== undefined) {
    const scheme = settings.credentialScheme ?? 'api-key';
    // A file written by hand may lack the origin.
    const origin = settings.credentialCommandOrigin ?? url.origin;
    return { value: { kind: 'command', scheme, argv }, origin };
  }
  if (credential === undefined) return undefined;
  const { scheme, origin } = credential;
  const secret = cleanSecret(credential.secret, scheme, `${profile}/${environment}`);
  return { value: { kind: 'secret', credential: { scheme, secret: new Secret(secret) } }, origin };
}

function found(
  credential: Credential,
  origin: OriginKind,
  place: string,
): Sourced<FoundCredential> {
  return sourced({ kind: 'secret', credential }, origin, place);
}

function notChosen(variable: string): ProcError {
  const text = `${variable} is not sent to the built-in sandbox: no address is selected`;
  return new ProcError('credential_origin', text, {
    hint: `Set PROC_BASE_URL, select the target with -p NAME, e.g. -p sandbox, or unset ${variable}`,
  });
}

function noCredential(selection: Selection): ProcError {
  const { known } = selection;
  if (known?.settings !== undefined && describes(known, selection.url.value)) {
    return new ProcError('no_credential', `no key is stored for ${nameOf(selection)}`, {
      hint: `Your organization gets a key from the service's support team. Store it: proc auth login -p ${inShell(known.profile)} -e ${inShell(known.environment)}`,
    });
  }
  return new ProcError('no_credential', `no key is set for ${selection.url.value.origin}`, {
    hint: "Your organization gets a key from the service's support team. Set PROC_API_KEY or PROC_TOKEN, or add a profile: proc profile add NAME -e ENV --base-url URL --api-key-stdin",
  });
}

function nameOf(selection: Selection): string {
  return selection.known === undefined
    ? selection.url.value.origin
    : `${selection.known.profile}/${selection.known.environment}`;
}
