import { ProcError, systemCode } from '../../core/errors.ts';
import type { Env } from '../../core/ports.ts';
import { nodeModule } from '../../core/process/node-module.ts';
import type { Scheme } from '../../core/service-target.ts';
import { cleanSecret } from './clean-secret.ts';

const MAX_OUTPUT = 64 * 1024;

/**
 * Runs a `credentialCommand` and returns the secret it prints. Runs it without a shell and with empty
 * standard input, as proc's own input may be data.
 *
 * @throws ProcError `credential_command`, with the command's name and the first line of its stderr
 */
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
 * The output of a command that prints a secret.
 *
 * @param where names the setting and the command, for errors
 * @throws ProcError `credential_command`
 */
export async function printedBy(
  argv: readonly string[],
  where: string,
  env: Env,
  limitMs = 10_000,
): Promise<string> {
  const { stdout, problem } = await run(argv, env, limitMs);
  if (problem === undefined) return stdout;
  throw new ProcError('credential_command', `${where} ${hide(problem, stdout)}`, {
    hint: `Run it yourself to see why: ${argv.join(' ')}`,
  });
}

interface Ran {
  readonly stdout: string;
  readonly problem?: string;
}

function run(argv: readonly string[], env: Env, limitMs: number): Promise<Ran> {
  return new Promise((resolve) => {
    const { spawn } = nodeModule('node:child_process');
    const child = spawn(argv[0]!, argv.slice(1), {
      env: { ...env },
      shell: false,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    let stdout = '';
    let stderr = '';
    const done = (problem?: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      // Destroys the pipes too: a grandchild may hold them open beyond the time limit.
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(problem === undefined ? { stdout } : { stdout, problem });
    };
    const timer = setTimeout(() => done(`did not finish within ${limitMs / 1000} s`), limitMs);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.length > MAX_OUTPUT) done('printed more than 64 KiB');
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < MAX_OUTPUT) stderr += text;
    });
    child.on('error', (thrown) => {
      done(systemCode(thrown) === 'ENOENT' ? 'is not found' : `cannot be run: ${thrown.message}`);
    });
    child.on('close', (code, signal) => {
      if (code === 0) return done();
      const line = stderr.split(/[\r\n]/).find((one) => one.trim() !== '');
      const end = code === null ? `was terminated by ${signal}` : `failed with exit code ${code}`;
      done(line === undefined ? end : `${end}: ${line.trim().slice(0, 200)}`);
    });
  });
}

/** Masks the secret: a failing command may repeat its output on stderr. */
function hide(problem: string, stdout: string): string {
  return stdout
    .split(/\s+/)
    .filter((word) => word.length >= 4)
    .reduce((text, word) => text.replaceAll(word, '***'), problem);
}
