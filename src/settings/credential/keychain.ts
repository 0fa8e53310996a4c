import { messageOf, ProcError } from '../../core/errors.ts';
import type { Env, Ports } from '../../core/ports.ts';
import type { Secret } from '../../core/service/secret.ts';
import type { Credential } from '../../core/service-target.ts';
import { inShell } from '../../core/text/typed.ts';
import { type Ran, runProgram } from './run-program.ts';

/** The keyrings that `auth login --store` can use. `secret-tool`: the Secret Service of a Linux desktop. */
export const STORES = ['secret-tool'] as const;

/** Longer than for a read: a person may have to unlock the keyring. */
const STORE_LIMIT_MS = 60_000;
const LIMIT_MS = 10_000;

/** What identifies a key in the keychain. The key may be sent only to `origin`. */
export interface KeyPlace {
  readonly profile: string;
  readonly environment: string;
  readonly origin: string;
}

export function lookUpCommand(place: KeyPlace): string[] {
  return ['secret-tool', 'lookup', ...attributes(place)];
}

/**
 * The place that a `credentialCommand` reads. Undefined if the command differs from those that
 * `auth login --store` writes.
 */
export function placeOfCommand(argv: readonly string[] | undefined): KeyPlace | undefined {
  const [, , , , , profile, , environment, , origin] = argv ?? [];
  if (profile === undefined || environment === undefined || origin === undefined) return undefined;
  const place = { profile, environment, origin };
  return JSON.stringify(lookUpCommand(place)) === JSON.stringify(argv) ? place : undefined;
}

/**
 * Stores a key and reads it back. The key goes through standard input, because other users can see
 * arguments.
 *
 * @throws ProcError `credential_store`; a key that could not be read back is removed again
 */
export async function storeInKeychain(
  place: KeyPlace,
  { secret }: Credential,
  env: Env,
): Promise<void> {
  const label = `proc: ${place.profile}/${place.environment}`;
  const argv = ['secret-tool', 'store', '--label', label, ...attributes(place)];
  const input = secret.reveal();
  const stored = await runProgram(argv, env, { limitMs: STORE_LIMIT_MS, input });
  if (stored.problem !== undefined) throw notStored(`secret-tool ${stored.problem}`);
  const read = await runProgram(lookUpCommand(place), env, { limitMs: LIMIT_MS });
  if (isKey(read, secret)) return;
  await runProgram(['secret-tool', 'clear', ...attributes(place)], env, { limitMs: LIMIT_MS });
  throw notStored(
    read.problem === undefined
      ? 'when proc read it back, secret-tool returned another key'
      : `the key could not be read back: secret-tool ${read.problem}`,
  );
}

/** False also if the keychain cannot be read. */
export async function isInKeychain(
  place: KeyPlace,
  { secret }: Credential,
  env: Env,
): Promise<boolean> {
  return isKey(await runProgram(lookUpCommand(place), env, { limitMs: LIMIT_MS }), secret);
}

function isKey({ stdout, problem }: Ran, secret: Secret): boolean {
  return problem === undefined && stdout.trim() === secret.reveal();
}

/** @throws ProcError `credential_store` if the keychain may still have the key */
export async function removeFromKeychain(place: KeyPlace, env: Env): Promise<void> {
  const argv = ['secret-tool', 'clear', ...attributes(place)];
  const cleared = await runProgram(argv, env, { limitMs: STORE_LIMIT_MS });
  const found = await isListed(place, env);
  if (found === false) return;
  const problem =
    cleared.problem === undefined ? 'the keyring still has it' : `secret-tool ${cleared.problem}`;
  throw new ProcError('credential_store', `the key was not removed: ${problem}`, {
    hint: `Unlock the keyring and try again. To forget the key here and leave it in the keyring: proc profile set ${inShell(place.profile)} -e ${inShell(place.environment)} credentialCommand=`,
  });
}

/**
 * The error for a key that `secret-tool` did not print. The exit code of `secret-tool` does not say
 * why.
 */
export async function whyMissing(
  place: KeyPlace,
  { problem, hasTimedOut }: { readonly problem: string; readonly hasTimedOut: boolean },
  env: Env,
): Promise<ProcError> {
  // After a timeout, the keychain would probably time out again.
  switch (hasTimedOut ? undefined : await isListed(place, env)) {
    case true:
      return new ProcError('credential_command', `${problem}; the keyring is locked`, {
        hint: 'Unlock the keyring, e.g. by logging in to the desktop, and try again',
      });
    case false:
      return new ProcError('credential_command', `${problem}; the keyring does not have the key`, {
        hint: `Store it again: ${loginCommand(place.profile, place.environment, lookUpCommand(place))}`,
      });
    default:
      return new ProcError('credential_command', problem, {
        hint: hasTimedOut
          ? 'The keyring may wait for you to unlock it. Unlock it, e.g. by logging in to the desktop, and try again'
          : 'proc reads this key from the keyring of your desktop session. Without one, set PROC_API_KEY or PROC_TOKEN',
      });
  }
}

export function clearCommand(place: KeyPlace): string {
  return ['secret-tool', 'clear', ...attributes(place)].map(inShell).join(' ');
}

export function loginCommand(
  profile: string,
  environment: string,
  credentialCommand: readonly string[] | undefined,
): string {
  const isInKeychain = placeOfCommand(credentialCommand) !== undefined;
  const flags = isInKeychain ? ' --store secret-tool' : '';
  return `proc auth login -p ${inShell(profile)} -e ${inShell(environment)}${flags}`;
}

/** Finds the key even if the keychain is locked. Undefined if the search failed. */
async function isListed(place: KeyPlace, env: Env): Promise<boolean | undefined> {
  const argv = ['secret-tool', 'search', ...attributes(place)];
  const { stdout, problem } = await runProgram(argv, env, { limitMs: LIMIT_MS });
  return problem === undefined ? stdout !== '' : undefined;
}

function attributes({ profile, environment, origin }: KeyPlace): string[] {
  return ['service', 'proc', 'profile', profile, 'environment', environment, 'origin', origin];
}

function notStored(problem: string): ProcError {
  return new ProcError('credential_store', `the key was not stored: ${problem}`, {
    hint: problem.includes('is not found')
      ? 'Install secret-tool (Debian and Ubuntu: libsecret-tools; Fedora: libsecret). For another keyring, set a credentialCommand'
      : 'Unlock the keyring of your desktop session and try again. Without such a session, use a credentialCommand or a variable',
  });
}

/** Removes keys that no environment uses any more. If a key stays in the keychain, only warns. */
export async function removeOrWarn(
  places: readonly KeyPlace[],
  { io, self }: Ports<'io' | 'self'>,
): Promise<void> {
  for (const place of places) {
    try {
      await removeFromKeychain(place, self.env);
    } catch (thrown) {
      const text = `the key of ${place.profile}/${place.environment} is still in the keyring: ${messageOf(thrown)}`;
      io.say({ kind: 'warning', text });
    }
  }
}
