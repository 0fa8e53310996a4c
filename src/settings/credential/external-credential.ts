import { ProcError } from '../../core/errors.ts';
import type { Env } from '../../core/ports.ts';
import type { Scheme } from '../../core/service-target.ts';
import { cleanSecret } from './clean-secret.ts';
import { placeOfCommand, whyMissing } from './keychain.ts';
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
export async function printedBy(
  argv: readonly string[],
  where: string,
  env: Env,
  limitMs = 10_000,
): Promise<string> {
  const { stdout, problem, hasTimedOut = false } = await runProgram(argv, env, { limitMs });
  if (problem === undefined) return stdout;
  const place = placeOfCommand(argv);
  if (place !== undefined) {
    throw await whyMissing(place, { problem: `${where} ${problem}`, hasTimedOut }, env);
  }
  throw new ProcError('credential_command', `${where} ${problem}`, {
    hint: `Run it yourself to see why: ${argv.join(' ')}`,
  });
}
