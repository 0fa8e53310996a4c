import { ProcError } from '../core/errors.ts';
import type { Env } from '../core/ports.ts';
import { isMissingProgram } from '../core/process/missing-program.ts';
import { nodeModule } from '../core/process/node-module.ts';
import { Secret } from '../core/service/secret.ts';
import type { Credential, Scheme } from '../core/service-target.ts';
import { inShell } from '../core/text/typed.ts';
import { cleanSecret, SCHEME_NAME } from './clean-secret.ts';
import {
  describes,
  type KnownEnvironment,
  type OriginKind,
  type Selection,
  type Sourced,
  type Sources,
  sourced,
} from './select-target.ts';

const MAX_OUTPUT = 64 * 1024;

interface Ran {
  readonly stdout: string;
  /** Why the program failed. Never its stderr, which may have secrets in any form. */
  readonly problem?: string;
}

/** Runs a program that handles a secret: without a shell, and within a time limit. */
function runProgram(argv: readonly string[], env: Env, limitMs: number): Promise<Ran> {
  return new Promise((resolve) => {
    const { spawn } = nodeModule('node:child_process');
    const child = spawn(argv[0]!, argv.slice(1), {
      env: { ...env },
      shell: false,
      // Not proc's own standard input, which may be the source of an import.
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
    });
    let stdout = '';
    const done = (problem?: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      // A grandchild may hold the pipe open beyond the time limit.
      child.stdout.destroy();
      resolve(problem === undefined ? { stdout } : { stdout, problem });
    };
    const timer = setTimeout(() => done(`did not finish within ${limitMs / 1000} s`), limitMs);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.length > MAX_OUTPUT) done('printed more than 64 KiB');
    });
    child.on('error', (thrown) => {
      const isMissing = isMissingProgram(argv[0]!, thrown, env);
      done(isMissing ? 'is not found' : `cannot be run: ${thrown.message}`);
    });
    child.on('close', (code, signal) => {
      if (code === 0) return done();
      done(code === null ? `was terminated by ${signal}` : `failed with exit code ${code}`);
    });
  });
}

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

/** A key, a command that prints one, or a certificate, with the only origin that may get it. */
export interface Bound<T> {
  readonly value: T;
  readonly origin: string;
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
  const { origin: selected } = url.value;
  if (origin === selected) return value;
  const message = `the ${what} of ${profile}/${environment} belongs to ${origin} and is not ${verb} ${selected}`;
  throw new ProcError('credential_origin', message, {
    hint: url.origin === 'variable' ? `${instead}, or unset PROC_BASE_URL` : again,
  });
}

/** A credential for the selected address. A `credentialCommand` has not run yet. */
export type FoundCredential =
  | { readonly kind: 'secret'; readonly credential: Credential }
  | { readonly kind: 'command'; readonly scheme: Scheme; readonly argv: readonly string[] };

/**
 * A credential from a variable wins over a stored credential. A stored
 * credential is sent only to the origin for which it was saved.
 *
 * @throws ProcError `credential_conflict`, `credential_origin`, `no_credential`
 */
export function findCredential(sources: Sources, selection: Selection): Sourced<FoundCredential> {
  const given = fromVariables(sources.env);
  if (given !== undefined) {
    return found(given.value, 'variable', given.place);
  }
  const owner = selection.known ?? selection.passedOver;
  const stored = owner === undefined ? undefined : storedCredential(owner);
  if (owner === undefined || stored === undefined) throw noCredential(selection);
  const bound = unbind(stored, owner, selection, {
    what: 'credential',
    verb: 'sent to',
    instead: 'Set PROC_API_KEY or PROC_TOKEN for this address',
    again: `Store the credential for the new address: ${againCommand(owner)}`,
  });
  const place = `${owner.profile}/${owner.environment}`;
  return sourced(bound, 'profile', place);
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

/** The command that binds the credential to the present address of its environment. */
function againCommand({ profile, environment, settings }: KnownEnvironment): string {
  const argv = settings.credentialCommand;
  return argv === undefined
    ? `proc auth login -p ${inShell(profile)} -e ${inShell(environment)}`
    : `proc profile set ${inShell(profile)} -e ${inShell(environment)} credentialCommand=${inShell(JSON.stringify(argv))}`;
}

function storedCredential({
  profile,
  environment,
  url,
  settings,
}: KnownEnvironment): Bound<FoundCredential> | undefined {
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

function noCredential(selection: Selection): ProcError {
  const { known } = selection;
  if (known !== undefined && describes(known, selection.url.value)) {
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
