import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { messageOf, ProcError } from '../core/errors.ts';
import type { Env } from '../core/ports.ts';
import { stateDir } from '../settings/paths.ts';
import { createFolder } from '../store/folder.ts';
import { CONTROL_PATH } from './app.ts';

/**
 * What a running sandbox leaves in the state folder, so that other commands find it: `status` and
 * `stop`, and the built-in profile, which takes its address from here.
 */
export interface Registration {
  /** With `/api/v1`. */
  readonly url: string;
  readonly pid: number;
  readonly port: number;
  readonly db: string;
  readonly key: string;
  /** The secret of {@link Control}. */
  readonly control: string;
}

function fileOf(env: Env): string {
  return join(stateDir(env), 'sandbox.json');
}

/** @throws ProcError `state_unwritable` */
export function register(env: Env, registration: Registration): void {
  const file = fileOf(env);
  const draft = `${file}.${registration.pid}`;
  try {
    createFolder(stateDir(env));
    writeFileSync(draft, `${JSON.stringify(registration)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  } catch (thrown) {
    throw new ProcError('state_unwritable', `Cannot write ${file}: ${messageOf(thrown)}`, {
      hint: 'Set PROC_STATE_DIR to a folder of yours',
      cause: thrown,
    });
  }
}

/** The sandbox that left its word and still answers. */
export async function runningSandbox(env: Env): Promise<Registration | undefined> {
  const registration = read(env);
  if (registration === undefined) return undefined;
  return (await control(registration, 'GET', CONTROL_PATH)) ? registration : undefined;
}

/** Removes the word of a sandbox that ended; of this one only, where one is named. */
export function unregister(env: Env, pid?: number): void {
  if (pid !== undefined && !isRegistered(env, pid)) return;
  rmSync(fileOf(env), { force: true });
}

/** Whether the word of this process is still there. */
export function isRegistered(env: Env, pid: number): boolean {
  return read(env)?.pid === pid;
}

/** Asks it to stop. False where it did not take the request. */
export function askToStop(registration: Registration): Promise<boolean> {
  return control(registration, 'POST', `${CONTROL_PATH}/stop`);
}

function read(env: Env): Registration | undefined {
  try {
    const value = JSON.parse(readFileSync(fileOf(env), 'utf8')) as Partial<Registration> | null;
    return typeof value?.port === 'number' && typeof value.control === 'string'
      ? (value as Registration)
      : undefined;
  } catch {
    // No file, or a torn one: then nobody can be asked, which is the same as nobody running.
    return undefined;
  }
}

/** True for a 200: something else on that port does not know the secret. */
function control({ port, control: token }: Registration, method: string, path: string) {
  return new Promise<boolean>((resolve) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: { 'x-sandbox-control': token },
        agent: false,
        timeout: 5_000,
      },
      (answer) => {
        answer.resume();
        answer.on('close', () => resolve(answer.statusCode === 200));
      },
    );
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
    asked.end();
  });
}
