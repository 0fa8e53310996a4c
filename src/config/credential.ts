import { type ErrorCode, ProcError } from '../core/errors.ts';
import type { Env } from '../core/io.ts';
import type { Secret } from '../core/secret.ts';
import type { Scheme } from '../core/service.ts';
import { nodeModule } from '../core/system.ts';

export const SCHEME_NAME: Readonly<Record<Scheme, string>> = {
  'api-key': 'API key',
  bearer: 'token',
};

/**
 * A header can contain Latin-1 without control characters (docs/service-contract.md §5). A bearer
 * token has no spaces, and is ASCII.
 */
const CARRIED: Readonly<Record<Scheme, RegExp>> = {
  'api-key': /^[\x20-\x7e\xa0-\xff]+$/,
  bearer: /^[\x21-\x7e]+$/,
};

/**
 * Removes white space around the secret, e.g. the line break at the end of a file. The result may be
 * empty. Errors never contain the secret.
 *
 * @param where the place, for errors, e.g. `PROC_API_KEY`
 */
export function cleanSecret(
  text: string,
  scheme: Scheme,
  where: string,
  code: ErrorCode = 'invalid_setting',
): string {
  const secret = text.replace(/^\uFEFF/, '').trim();
  if (secret !== '' && !CARRIED[scheme].test(secret)) {
    const why = /[\r\n]/.test(secret)
      ? 'has more than one line'
      : 'contains a character that an HTTP header cannot contain';
    throw new ProcError(code, `${where}: the ${SCHEME_NAME[scheme]} ${why}`, {
      hint:
        scheme === 'bearer' && /^bearer /i.test(secret)
          ? 'Use the token alone, without the word "Bearer"'
          : 'Copy it again: it must be one line of plain characters',
    });
  }
  return secret;
}

/**
 * A short hash that identifies a secret without showing it. node:crypto is loaded here, because most
 * commands do not need it.
 */
export function fingerprint(secret: Secret): string {
  const { hash } = nodeModule('node:crypto');
  return `sha256:${hash('sha256', secret.reveal(), 'hex').slice(0, 8)}`;
}

const MAX_OUTPUT = 64 * 1024;

/**
 * Runs a program that prints a secret: without a shell, and within a time limit. Its stderr is never shown, because it
 * may have secrets in any form.
 *
 * @throws ProcError `credential_command`
 */
export async function runCredentialCommand(
  argv: readonly string[],
  scheme: Scheme,
  env: Env,
  limitMs = 10_000,
): Promise<string> {
  const where = `credentialCommand "${argv[0]!}"`;
  const { execa } = await import('execa');
  const ran = await execa(argv[0]!, argv.slice(1), {
    // Not the standard input of proc, which may be the source of an import.
    ...{ stdin: 'ignore', stderr: 'ignore', env, extendEnv: false, reject: false },
    ...{ timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT },
  });
  // The library adds the command with its arguments, which may be secret.
  const problem = ran.failed ? ran.shortMessage!.split(':')[0] : undefined;
  const secret = problem ? '' : cleanSecret(ran.stdout, scheme, where, 'credential_command');
  if (secret !== '') return secret;
  throw new ProcError('credential_command', `${where}: ${problem ?? 'it printed nothing'}`, {
    hint: `Run it yourself to see why: ${argv.join(' ')}`,
  });
}
