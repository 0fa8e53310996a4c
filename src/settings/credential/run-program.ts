import type { Env } from '../../core/ports.ts';
import { isMissingProgram } from '../../core/process/missing-program.ts';
import { nodeModule } from '../../core/process/node-module.ts';

const MAX_OUTPUT = 64 * 1024;

export interface Ran {
  readonly stdout: string;
  /** Why the program failed. Never its stderr, which may have secrets in any form. */
  readonly problem?: string;
}

/** Runs a program that handles a secret: without a shell, and within a time limit. */
export function runProgram(argv: readonly string[], env: Env, limitMs: number): Promise<Ran> {
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
