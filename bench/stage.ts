// A service and a `proc` in fresh folders, for benchmarks that run whole commands.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';

const BINARY = resolve(import.meta.dirname, '../bin/proc.js');

export interface Done {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
  /** Largest resident set in MB, as the kernel counted it; undefined if the system cannot measure it. */
  readonly peakMb: number | undefined;
}

export interface Stage extends AsyncDisposable {
  readonly folder: string;
  start(args: readonly string[], more?: NodeJS.ProcessEnv): ChildProcess;
  run(args: readonly string[], more?: NodeJS.ProcessEnv): Promise<Done>;
  sql(query: string): Record<string, unknown>[];
}

export async function openStage(sandboxArgs: readonly string[] = []): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'proc-bench-'));
  const db = join(folder, 'service.db');
  const base = {
    PATH: process.env.PATH,
    HOME: folder,
    PROC_STATE_DIR: join(folder, 'state'),
    PROC_CONFIG_DIR: join(folder, 'config'),
  };
  const service = spawn(
    process.execPath,
    [BINARY, 'sandbox', 'start', '--port', '0', '--db', db, ...sandboxArgs],
    { env: base, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const [line] = await new Promise<string[]>((done) =>
    createInterface(service.stdout!).once('line', (text) => done([text])),
  );
  const { url, key } = JSON.parse(line!) as { url: string; key: string };
  const env = { ...base, PROC_BASE_URL: url, PROC_API_KEY: key };
  const start = (args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
    spawn(process.execPath, [BINARY, ...args], {
      env: { ...env, ...more },
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return {
    folder,
    start,
    async run(args, more) {
      const began = performance.now();
      const child = start(args, more);
      let peakMb: number | undefined;
      const polling = setInterval(() => {
        peakMb = peakOf(child.pid!) ?? peakMb;
      }, 25);
      const [stdout, stderr, exitCode] = await Promise.all([
        textOf(child.stdout!),
        textOf(child.stderr!),
        new Promise<number | null>((done) => child.once('exit', done)),
      ]);
      clearInterval(polling);
      return { exitCode, stdout, stderr, seconds: (performance.now() - began) / 1000, peakMb };
    },
    sql(query) {
      const database = new DatabaseSync(db, { readOnly: true });
      try {
        return database.prepare(query).all();
      } finally {
        database.close();
      }
    },
    async [Symbol.asyncDispose]() {
      const ended = new Promise((done) => service.once('exit', done));
      service.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function peakOf(pid: number): number | undefined {
  try {
    const [, kilobytes] =
      /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
  } catch {
    return undefined;
  }
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const piece of stream) text += String(piece);
  return text;
}
