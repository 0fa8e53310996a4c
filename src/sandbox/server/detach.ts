import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ERROR_CODES, type ErrorCode, ProcError } from '../../core/errors.ts';
import type { Env, Ports } from '../../core/ports.ts';
import { stateDir } from '../../settings/read/paths.ts';
import { makeFolder } from '../../store/folder.ts';
import type { Announcement } from './announcement.ts';

/** If the log is a named pipe without a reader, `O_NONBLOCK` makes opening fail instead of wait. */
const LOG_FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NONBLOCK ?? 0);

const START_MS = 20_000;

/**
 * Starts `proc sandbox start` in the background and waits for its announcement. The sandbox keeps
 * running when this process ends.
 *
 * @throws ProcError the one that the sandbox process logged; `sandbox_conflict` if it ends without one
 * or announces nothing within `START_MS`
 */
export async function startDetached(
  ports: Ports<'self'>,
  args: readonly string[],
): Promise<Announcement> {
  const folder = stateDir(ports.self.env);
  const logFile = join(folder, 'sandbox.log');
  makeFolder(folder);
  const log = openSync(logFile, LOG_FLAGS, 0o600);
  const [program, ...own] = ports.self.selfCommand as [string, ...string[]];
  const child = spawn(
    program,
    [...own, 'sandbox', 'start', ...args, '--output', 'json', '--quiet'],
    {
      detached: true,
      stdio: ['ignore', 'pipe', log],
      env: withoutKeys(ports.self.env),
      windowsHide: true,
    },
  );
  closeSync(log);
  try {
    return await firstLine(child, logFile, ports.self.signal);
  } catch (thrown) {
    child.kill();
    throw thrown;
  } finally {
    child.stdout!.destroy();
    child.unref();
  }
}

/**
 * Other programs of the user can read the environment of a process. A sandbox runs for long and
 * needs no keys.
 */
function withoutKeys(env: Env): Env {
  const { PROC_API_KEY: _key, PROC_TOKEN: _token, ...rest } = env;
  return rest;
}

function firstLine(
  child: ChildProcess,
  logFile: string,
  signal: AbortSignal,
): Promise<Announcement> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(
        new ProcError(
          'sandbox_conflict',
          `the sandbox did not respond within ${START_MS / 1000} s`,
          {
            hint: 'Start it in the foreground to see why: proc sandbox start',
          },
        ),
      );
    }, START_MS);
    let isSettled = false;
    const settle = (done: () => void) => {
      clearTimeout(timer);
      // Only the first event counts: a sandbox that has announced itself may still exit.
      if (!isSettled) done();
      isSettled = true;
    };
    signal.addEventListener('abort', () => settle(() => reject(signal.reason)), { once: true });
    createInterface({ input: child.stdout! }).once('line', (line) => {
      settle(() => resolve(JSON.parse(line) as Announcement));
    });
    child.once('error', (thrown) => settle(() => reject(thrown)));
    child.once('exit', () => settle(() => reject(failureOf(logFile))));
  });
}

function failureOf(logFile: string): ProcError {
  const lines = readFileSync(logFile, 'utf8').trim().split('\n').reverse();
  for (const line of lines) {
    try {
      const { code, message, hint } = (JSON.parse(line) as { error: Record<string, string> }).error;
      if (code !== undefined && Object.hasOwn(ERROR_CODES, code)) {
        return new ProcError(code as ErrorCode, message ?? line, { hint });
      }
    } catch {
      // Not an error line of proc; try the next one.
    }
  }
  return new ProcError('sandbox_conflict', `the sandbox ended before it responded: ${lines[0]}`, {
    hint: 'Start it in the foreground to see why: proc sandbox start',
  });
}
