import { createHmac, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { messageOf, ProcError } from '../../core/errors.ts';
import type { Env } from '../../core/ports.ts';
import { portFile } from '../../settings/read/built-in.ts';
import { stateDir } from '../../settings/read/paths.ts';
import { createFolder } from '../../store/folder.ts';
import { readRegularFile } from '../../store/regular-file.ts';
import { PRIVATE, writeWholeFile } from '../../store/whole-file.ts';
import { HOST } from './listen.ts';

/**
 * The content of `sandbox.json` in the state folder. Other commands and the built-in profile find a
 * running sandbox by this file.
 */
export interface Registration {
  readonly url: string;
  readonly pid: number;
  readonly port: number;
  readonly db: string;
  readonly key: string;
  /** The secret `Control.token`. */
  readonly control: string;
  /** How long it may take to apply a request, ms; longer with simulated delays. */
  readonly settleMs: number;
}

export const CONTROL_PATH = '/_sandbox';

/**
 * Another program may listen on the port of a sandbox that has ended. Only the sandbox with the
 * token can compute this proof.
 */
export function proofOf(token: string, nonce: string): string {
  return createHmac('sha256', token).update(nonce).digest('hex');
}

function fileOf(env: Env): string {
  return join(stateDir(env), 'sandbox.json');
}

/** @throws ProcError `state_unwritable` */
export function register(env: Env, registration: Registration): void {
  write(env, fileOf(env), registration);
}

/**
 * Keeps the port for the next start without `--port`.
 *
 * @throws ProcError `state_unwritable`
 */
export function rememberPort(env: Env, port: number): void {
  write(env, portFile(env), { port });
}

function write(env: Env, file: string, content: object): void {
  try {
    createFolder(stateDir(env));
    writeWholeFile(file, `${JSON.stringify(content)}\n`, PRIVATE);
  } catch (thrown) {
    throw new ProcError('state_unwritable', `cannot write ${file}: ${messageOf(thrown)}`, {
      hint: 'Set PROC_STATE_DIR to a folder that you may write to',
      cause: thrown,
    });
  }
}

/**
 * The registered sandbox, if it still runs. Another program may use its port by now, so the sandbox
 * must prove that it knows the secret; proc does not send the secret.
 */
export async function runningSandbox(env: Env): Promise<Registration | undefined> {
  const registration = read(env);
  if (registration === undefined) return undefined;
  const nonce = randomBytes(16).toString('hex');
  const response = await ask(registration.port, 'GET', CONTROL_PATH, { 'x-sandbox-nonce': nonce });
  const proof = (response as { proof?: unknown } | undefined)?.proof;
  return proof === proofOf(registration.control, nonce) ? registration : undefined;
}

/**
 * The sandbox that this state folder started, if it still runs and is what answers at this address. Any
 * other service on loopback may be a tunnel to a real one.
 */
export async function ownSandboxAt(env: Env, baseUrl: string): Promise<Registration | undefined> {
  const registered = read(env);
  if (registered === undefined || new URL(baseUrl).origin !== `http://${HOST}:${registered.port}`) {
    return undefined;
  }
  return runningSandbox(env);
}

/** @param pid if given, the registration of another process stays */
export function unregister(env: Env, pid?: number): void {
  if (pid !== undefined && !isRegistered(env, pid)) return;
  rmSync(fileOf(env), { force: true });
}

export function isRegistered(env: Env, pid: number): boolean {
  return read(env)?.pid === pid;
}

/** This request sends the secret, so the registration must come from {@link runningSandbox}. */
export async function askToStop({ port, control }: Registration): Promise<void> {
  await ask(port, 'POST', `${CONTROL_PATH}/stop`, { 'x-sandbox-control': control });
}

function read(env: Env): Registration | undefined {
  try {
    const value = JSON.parse(readRegularFile(fileOf(env)).text) as Partial<Registration> | null;
    return typeof value?.port === 'number' &&
      typeof value.control === 'string' &&
      typeof value.settleMs === 'number'
      ? (value as Registration)
      : undefined;
  } catch {
    // A missing or invalid file means that no sandbox runs.
    return undefined;
  }
}

const MOST_BYTES = 4_096;

function ask(
  port: number,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<unknown> {
  return new Promise((resolve) => {
    const asked = request(
      { host: HOST, port, method, path, headers, agent: false, timeout: 5_000 },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          if (text.length > MOST_BYTES) asked.destroy();
        });
        response.on('close', () => resolve(response.statusCode === 200 ? parsed(text) : undefined));
      },
    );
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(undefined));
    asked.end();
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
