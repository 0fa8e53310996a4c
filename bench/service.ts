// An empty service in a process of its own, and what runs beside it in fresh folders.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

export const binary = resolve(import.meta.dirname, '../bin/proc.js');

export interface Service {
  readonly url: string;
  readonly key: string;
  readonly db: string;
  /** For whatever runs beside it; removed afterwards. */
  readonly folder: string;
}

/** @param more arguments of `sandbox start` */
export async function withService<T>(
  work: (service: Service) => Promise<T>,
  more: readonly string[] = [],
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'proc-bench-'));
  const db = join(folder, 'service.db');
  const args = ['sandbox', 'start', '--port', '0', '--db', db, '--empty', '--quiet', ...more];
  const child = spawn(process.execPath, [binary, ...args], {
    env: { ...process.env, PROC_STATE_DIR: folder, PROC_CONFIG_DIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const line = await new Promise<string>((done) =>
      createInterface({ input: child.stdout }).once('line', done),
    );
    return await work({ ...JSON.parse(line), db, folder });
  } finally {
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface Ran {
  readonly seconds: number;
  /** Peak of the resident set. */
  readonly peakMb: number;
  /** What it printed, as JSON. */
  readonly result: { readonly created: number };
}

/** Runs proc in a new state folder. */
export function runProc(
  args: readonly string[],
  service: Service,
  more: NodeJS.ProcessEnv = {},
): Promise<Ran> {
  const state = mkdtempSync(join(service.folder, 'state-'));
  const env = {
    PATH: process.env.PATH,
    HOME: state,
    // Compiled code is kept between starts, as on any machine where proc has run before.
    XDG_CACHE_HOME: join(tmpdir(), 'proc-bench-cache'),
    PROC_STATE_DIR: state,
    PROC_CONFIG_DIR: state,
    PROC_BASE_URL: service.url,
    PROC_API_KEY: service.key,
    PROC_CONCURRENCY: '64',
    ...more,
  };
  const began = performance.now();
  const child = spawn(process.execPath, [binary, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let peakKb = 0;
  const look = setInterval(() => {
    try {
      const [, kb] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      peakKb = Math.max(peakKb, Number(kb ?? 0));
    } catch {
      // The process has just ended.
    }
  }, 50);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr = (stderr + chunk).slice(-2_000);
  });
  return new Promise((done, fail) => {
    child.once('close', (code) => {
      clearInterval(look);
      const seconds = (performance.now() - began) / 1000;
      if (code !== 0) fail(new Error(`exit ${code}: ${stderr}`));
      else done({ seconds, peakMb: peakKb / 1024, result: JSON.parse(stdout) });
    });
  });
}
