import type { Env } from '../../core/ports.ts';
import { isMissingProgram } from '../../core/process/missing-program.ts';
import { nodeModule } from '../../core/process/node-module.ts';

const MAX_OUTPUT = 64 * 1024;

interface RunOptions {
  readonly limitMs: number;
  /**
   * The text on the program's standard input, by default empty. The program does not inherit proc's
   * own standard input, which may be the source of an import.
   */
  readonly input?: string;
}

export interface Ran {
  readonly stdout: string;
  /** Why the program failed, with the first line of its stderr. Secrets are masked. */
  readonly problem?: string;
  readonly hasTimedOut?: boolean;
}

/** Runs a program that handles a secret: without a shell, and within a time limit. */
export function runProgram(
  argv: readonly string[],
  env: Env,
  { limitMs, input }: RunOptions,
): Promise<Ran> {
  return new Promise((resolve) => {
    const { spawn } = nodeModule('node:child_process');
    const child = spawn(argv[0]!, argv.slice(1), {
      env: { ...env },
      shell: false,
      stdio: 'pipe',
      windowsHide: true,
    });
    let stdout = '';
    let stderr = '';
    const done = (problem?: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      // A grandchild may hold the pipes open beyond the time limit.
      child.stdin.destroy();
      child.stdout.destroy();
      child.stderr.destroy();
      const shown = [...stdout.split(/\s+/), input ?? ''];
      if (problem === undefined) resolve({ stdout });
      else resolve({ stdout, problem: masked(problem, shown), hasTimedOut });
    };
    let hasTimedOut = false;
    const timer = setTimeout(() => {
      hasTimedOut = true;
      done(`did not finish within ${limitMs / 1000} s`);
    }, limitMs);
    // A program may end without reading its input. The failed write does not matter.
    child.stdin.on('error', () => undefined).end(input ?? '');
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.length > MAX_OUTPUT) done('printed more than 64 KiB');
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < MAX_OUTPUT) stderr += text;
    });
    child.on('error', (thrown) => {
      const isMissing = isMissingProgram(argv[0]!, thrown, env);
      done(isMissing ? 'is not found' : `cannot be run: ${thrown.message}`);
    });
    child.on('close', (code, signal) => {
      if (code === 0) return done();
      const line = stderr.split(/[\r\n]/).find((one) => one.trim() !== '');
      const end = code === null ? `was terminated by ${signal}` : `failed with exit code ${code}`;
      done(line === undefined ? end : `${end}: ${line.trim().slice(0, 200)}`);
    });
  });
}

/** A failing program may repeat secrets on stderr. */
function masked(problem: string, secrets: readonly string[]): string {
  return secrets
    .filter((word) => word.length >= 4)
    .reduce((text, word) => text.replaceAll(word, '***'), problem);
}
