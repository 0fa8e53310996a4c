import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProcError, systemCode } from '../../core/errors.ts';
import type { Env } from '../../core/ports.ts';
import { nodeModule } from '../../core/process/node-module.ts';

/**
 * A signature for another purpose, e.g. of a Git commit, has another namespace. So it is no
 * approval.
 */
const NAMESPACE = 'proc-import';

const MOST_OUTPUT = 64 * 1024;

interface Ran {
  readonly isDone: boolean;
  readonly stdout: string;
  readonly problem: string;
}

/**
 * @param keyFile a private key, or the `.pub` file of a key in ssh-agent; ssh-keygen itself asks
 *   for a passphrase
 * @returns the armored signature
 * @throws ProcError `signing_failed`
 */
export async function sign(text: string, keyFile: string, env: Env): Promise<string> {
  const args = ['-Y', 'sign', '-n', NAMESPACE, '-f', keyFile];
  const { isDone, stdout, problem } = await run(args, text, env);
  if (isDone && stdout !== '') return stdout;
  throw new ProcError('signing_failed', `ssh-keygen could not sign with ${keyFile}: ${problem}`, {
    hint: 'Name an SSH private key, or the .pub file of a key in ssh-agent, with --key FILE',
  });
}

/** What a signature shows without a list of approvers. */
export type Checked =
  | { readonly isValid: true; readonly key: string }
  | { readonly isValid: false; readonly problem: string };

/** Verifies a signature, whoever made it. `key` is e.g. `ED25519 SHA256:…`. */
export async function check(text: string, signature: string, env: Env): Promise<Checked> {
  using file = temporaryFile(signature);
  const args = ['-Y', 'check-novalidate', '-n', NAMESPACE, '-s', file.path];
  const { isDone, stdout, problem } = await run(args, text, env);
  const [, kind, key] = / with (\S+) key (SHA256:\S+)/.exec(stdout) ?? [];
  if (isDone && key !== undefined) return { isValid: true, key: `${kind} ${key}` };
  return { isValid: false, problem };
}

/** The persons whom an allowed_signers file lists with the key of a signature. */
export async function principalsOf(
  signature: string,
  approvers: string,
  at: number,
  env: Env,
): Promise<{ readonly principals: readonly string[]; readonly problem: string }> {
  using file = temporaryFile(signature);
  const args = ['-Y', 'find-principals', '-s', file.path, '-f', approvers, ...verifyTime(at)];
  const { isDone, stdout, problem } = await run(args, '', env);
  return { principals: isDone ? stdout.split('\n').filter((one) => one !== '') : [], problem };
}

/**
 * Verifies that a signature is by a person in an allowed_signers file.
 *
 * @returns why the signature is not valid; undefined if it is valid
 */
export async function verify(
  text: string,
  signature: string,
  { principal, approvers, at }: { principal: string; approvers: string; at: number },
  env: Env,
): Promise<string | undefined> {
  using file = temporaryFile(signature);
  const { isDone, problem } = await run(
    [
      ...['-Y', 'verify', '-f', approvers, '-I', principal, '-n', NAMESPACE],
      ...['-s', file.path, ...verifyTime(at)],
    ],
    text,
    env,
  );
  return isDone ? undefined : problem;
}

/** The time, in UTC, at which a key must be valid (`valid-after`, `valid-before` in the approver file). */
function verifyTime(at: number): readonly string[] {
  const digits = new Date(at).toISOString().replace(/\D/g, '').slice(0, 14);
  return ['-O', `verify-time=${digits}`];
}

/** ssh-keygen reads signatures only from files. */
function temporaryFile(content: string): Disposable & { readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'proc-approval-'));
  const path = join(folder, 'signature');
  writeFileSync(path, content, { mode: 0o600 });
  return { path, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** @throws ProcError `signing_failed` if ssh-keygen is missing or cannot be started */
function run(args: readonly string[], input: string, env: Env): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const { spawn } = nodeModule('node:child_process');
    // Times without a zone in an approver file are local. With TZ, they mean the same on all
    // machines.
    const child = spawn('ssh-keygen', args, {
      env: { ...env, TZ: 'UTC', LC_ALL: 'C' },
      stdio: 'pipe',
      windowsHide: true,
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (stdout.length < MOST_OUTPUT) stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < MOST_OUTPUT) stderr += text;
    });
    child.on('error', (thrown) => {
      const isMissing = systemCode(thrown) === 'ENOENT';
      const why = isMissing
        ? 'ssh-keygen is not found'
        : `cannot run ssh-keygen: ${thrown.message}`;
      reject(
        new ProcError('signing_failed', why, {
          hint: 'Approvals need ssh-keygen of OpenSSH 8.9 or later: install OpenSSH',
        }),
      );
    });
    // ssh-keygen may end before it has read all of the input.
    child.stdin.on('error', () => undefined);
    child.on('close', (code) => {
      resolve({ isDone: code === 0, stdout, problem: problemIn(stderr) });
    });
    child.stdin.end(input);
  });
}

function problemIn(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('Signing data'));
  const reason = lines.find((line) => !/^(Could not verify|No principal matched)/.test(line));
  return (reason ?? lines[0] ?? 'no reason given').slice(0, 300).replace(/\.$/, '');
}
