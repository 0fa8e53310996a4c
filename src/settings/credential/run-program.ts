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
  /** Why the program failed. Never its stderr, which may have secrets in any form. */
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
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
    let stdout = '';
    const done = (problem?: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      // A grandchild may hold the pipes open beyond the time limit.
      child.stdin.destroy();
      child.stdout.destroy();
      resolve(problem === undefined ? { stdout } : { stdout, problem, hasTimedOut });
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
