import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isInstalled } from '../support/installed.ts';

/** Calls by which Node and SQLite change a disk. `openat` counts only for writing. */
export const CALLS = [
  ...['write', 'writev', 'openat', 'mkdir', 'unlink', 'rename', 'ftruncate'],
  ...['fsync', 'fdatasync', 'pwrite64'],
] as const;
type Call = (typeof CALLS)[number];
export const ERRORS = ['EIO', 'ENOSPC'] as const;
type DiskError = (typeof ERRORS)[number];
export const WORKS = ['create', 'import'] as const;
type Work = (typeof WORKS)[number];

export const hasStrace = process.platform === 'linux' && isInstalled('strace');

export interface Fault {
  readonly work: Work;
  readonly call: Call;
  readonly error: DiskError;
  readonly nth: number;
}

interface Ended {
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly stdout: string;
}

interface Outcome {
  /**
   * What failed: a file by its role, `stdout`, `stderr`, or `other` (e.g. a socket). Undefined: the command
   * made fewer such calls.
   */
  readonly target: string | undefined;
  readonly failed: string;
  readonly first: Ended;
  readonly wrong: readonly string[];
}

interface Service {
  readonly url: string;
  readonly key: string;
  readonly db: string;
}

const ROWS = 6;
const MOST_STEPS = 4;
const PACE = ['--timeout', '5s'];

let attempts = 0;

/** A command with its own folders. strace can make its system calls fail. */
class Attempt {
  readonly own: string;
  readonly prefix = `D${attempts++}-`;
  readonly rows: number;
  readonly start: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #binary: string;

  constructor(work: Work, service: Service, binary: string, folder: string) {
    this.own = mkdtempSync(join(folder, 'fault-'));
    this.#binary = binary;
    this.#env = {
      PATH: process.env.PATH,
      HOME: this.own,
      XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
      NODE_DISABLE_COMPILE_CACHE: '1',
      // strace counts calls for each thread. With one thread in the pool, only two threads make calls.
      UV_THREADPOOL_SIZE: '1',
      PROC_STATE_DIR: join(this.own, 'state'),
      PROC_CONFIG_DIR: join(this.own, 'config'),
      PROC_BASE_URL: service.url,
      PROC_API_KEY: service.key,
      PROC_CONCURRENCY: '2',
      PROC_SETTLE: '1ms',
    };
    mkdirSync(join(this.own, 'state'), { mode: 0o700 });
    this.rows = work === 'import' ? ROWS : 1;
    const create = ['items', 'create', '--code', `${this.prefix}0`, '--name', 'Row'];
    this.start =
      work === 'import'
        ? ['items', 'import', 'rows.csv', '--yes', '--results', 'results.csv', ...PACE]
        : create;
    const rows = Array.from({ length: ROWS }, (_, n) => `${this.prefix}${n},Row\n`);
    // proc rejects the last row, which has no code, and so writes a file of rejected rows.
    writeFileSync(join(this.own, 'rows.csv'), `code,name\n${rows.join('')},Row\n`);
  }

  run(args: readonly string[], before: readonly string[] = []): Promise<Ended> {
    const [command, ...rest] = [...before, process.execPath, this.#binary, ...args];
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const child = spawn(command!, rest, { env: this.#env, cwd: this.own, stdio: [...stdio] });
    let stdout = '';
    let stderr = '';
    child.stdout!.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr!.on('data', (chunk) => {
      stderr += chunk;
    });
    return new Promise((resolve) => {
      child.once('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
    });
  }

  async traced(call: Call, inject?: string): Promise<{ told: Ended; lines: readonly string[] }> {
    const log = join(this.own, 'strace.log');
    const faults = inject === undefined ? [] : ['-e', `inject=${call}:${inject}`];
    // `write` is traced in the main thread only, because all threads use it to wake each other. With `--out`,
    // other threads write files, so they are traced too.
    const isMainOnly = call === 'write' && !this.start.includes('--out');
    const threads = isMainOnly ? [] : ['-f'];
    const strace = ['strace', ...threads, '-y', '-o', log, '-e', `trace=${call}`, ...faults];
    const told = await this.run(this.start, strace);
    return { told, lines: wholeLines(readFileSync(log, 'utf8')) };
  }

  file(name: string): string {
    try {
      return readFileSync(join(this.own, name), 'utf8');
    } catch {
      return '';
    }
  }

  remove(): void {
    rmSync(this.own, { recursive: true, force: true });
  }
}

/** The calls of a command without faults: the file, and the count of the call in its thread. */
export async function callsOnFiles(
  { work, call }: Pick<Fault, 'work' | 'call'>,
  service: Service,
  binary: string,
  folder: string,
): Promise<{ readonly nth: number; readonly target: string }[]> {
  const attempt = new Attempt(work, service, binary, folder);
  const { lines } = await attempt.traced(call);
  attempt.remove();
  const byThread = new Map<string, number>();
  const found: { nth: number; target: string }[] = [];
  for (const line of lines) {
    const [, thread = '', name] = /^(?:(\d+) +)?(\w+)\(/.exec(line) ?? [];
    if (name !== call) continue;
    const nth = (byThread.get(thread) ?? 0) + 1;
    byThread.set(thread, nth);
    const target = targetOf(line, attempt.own);
    if (target !== 'other') found.push({ nth, target });
  }
  return found;
}

export async function withFault(
  { work, call, error, nth }: Fault,
  service: Service,
  binary: string,
  folder: string,
): Promise<Outcome> {
  const attempt = new Attempt(work, service, binary, folder);
  const { told: first, lines } = await attempt.traced(call, `error=${error}:when=${nth}`);
  const injected = lines.filter((line) => line.includes('(INJECTED)'));
  const failed = injected.join('\n');
  if (injected.length === 0) {
    attempt.remove();
    return { target: undefined, failed, first, wrong: [] };
  }
  const targets = injected.map((line) => targetOf(line, attempt.own));
  // If a thread cannot wake another thread, the process ends as by a kill. Then its output is not checked.
  const target = targets.includes('other') ? 'other' : targets.join(' and ');
  const rowsNow = () => countOf(service.db, attempt.prefix);
  const atFirst = rowsNow().length;
  const wrong = target === 'other' ? [] : faultsOf(first, target, work, attempt, atFirst);
  let last = first;
  for (let step = 0; step < MOST_STEPS && rowsNow().length < attempt.rows; step++) {
    last = await attempt.run(attempt.start);
    const { exitCode } = last;
    if (exitCode !== 2) {
      wrong.push(...messageFaults(last, work).map((one) => `afterwards: ${one}`));
    }
  }
  if (work === 'import') wrong.push(...(await endOfRun(attempt)));
  const counts = rowsNow();
  const doubled = counts.filter((n) => n > 1).length;
  const missing = attempt.rows - counts.length;
  // If the network failed, the outcome stays unknown, and proc refuses to send the write again.
  const isUnknown = target === 'other' && /"(outcome_unknown|repeated_write)"/.test(last.stderr);
  if (missing > 0 && !isUnknown) wrong.push(`${missing} rows are missing: ${last.stderr}`);
  if (doubled > 0) wrong.push(`${doubled} rows exist twice`);
  attempt.remove();
  return { target, failed, first, wrong };
}

/** Returns what is wrong after the same import has run to its end. */
async function endOfRun(attempt: Attempt): Promise<string[]> {
  const again = await attempt.run(attempt.start);
  const results = attempt.file('results.csv').trimEnd().split('\n');
  const list = await attempt.run(['imports', 'list', '--open', '-o', 'json']);
  const isWhole = again.exitCode === 8 && results.length === ROWS + 2;
  return [
    ...(isWhole ? [] : [`again: exit ${again.exitCode}, ${results.length} lines: ${again.stderr}`]),
    ...(list.stdout.trim() === '[]' ? [] : [`imports list: ${list.stdout}${list.stderr}`]),
  ];
}

function faultsOf(
  told: Ended,
  target: string,
  work: Work,
  attempt: Attempt,
  atFirst: number,
): string[] {
  const { exitCode, stdout, stderr } = told;
  const wrong: string[] = [];
  const done = work === 'import' ? 8 : 0;
  const isDone = atFirst === attempt.rows;
  const expect = (is: boolean, what: string) => {
    if (!is) wrong.push(`exit ${exitCode} after ${target}: ${what}: ${stderr}${stdout}`);
  };
  if (target !== 'stderr') wrong.push(...messageFaults(told, work));
  switch (exitCode) {
    case done: {
      expect(isDone, `${atFirst} rows`);
      expect(isJson(stdout), 'the result is not whole');
      if (work !== 'import') break;
      const results = attempt.file('results.csv').trimEnd().split('\n');
      expect(results.length === ROWS + 2, `${results.length} lines of results`);
      break;
    }
    case 2:
    case 3:
      expect(atFirst === 0, `${atFirst} rows were sent`);
      break;
    case 11:
      expect(atFirst > 0, 'nothing was sent');
      break;
    case 9:
    case 10:
      break;
    default:
      expect(false, 'not a code for this');
  }
  // The last write to stdout is empty. If it fails, the result is still whole.
  if (target === 'stdout' && !isJson(stdout)) {
    expect(exitCode === 11, 'the result was not delivered');
  }
  if (target === 'stderr') expect(exitCode === done, 'a message that is not read');
  return wrong;
}

/** Expects one error with a message, and no stack trace. */
function messageFaults({ exitCode, stderr }: Ended, work: Work): string[] {
  const wrong: string[] = [];
  const errors = stderr.split('\n').filter((line) => line.startsWith('{"error"'));
  if (/^\s+at /m.test(stderr)) wrong.push(`a stack trace: ${stderr}`);
  if (exitCode === 1 || exitCode === null) wrong.push(`exit ${exitCode}: ${stderr}`);
  if (errors.length !== (exitCode === 0 && work !== 'import' ? 0 : 1)) {
    wrong.push(`${errors.length} errors at exit ${exitCode}: ${stderr}`);
  }
  return wrong;
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

/** The lines of a trace. strace splits a call into two lines if another thread makes a call meanwhile. */
function wholeLines(log: string): string[] {
  const begun = new Map<string, string>();
  return log.split('\n').flatMap((line) => {
    const [, thread = '', text = line] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const start = / <unfinished \.\.\.>$/.exec(text);
    if (start !== null) {
      begun.set(thread, line.slice(0, -start[0].length));
      return [];
    }
    const end = /^<\.\.\. \w+ resumed>(.*)$/.exec(text)?.[1];
    return end === undefined ? [line] : [`${begun.get(thread) ?? ''}${end}`];
  });
}

function targetOf(line: string, own: string): string {
  const [, call, fd, fdPath] = /^(?:\d+ +)?(\w+)\((?:(\d+)<([^>]*)>)?/.exec(line) ?? [];
  if (call === 'openat' && !/O_(WRONLY|RDWR|CREAT)/.test(line)) return 'other';
  if (call === 'write' || call === 'writev') {
    if (fd === '1') return 'stdout';
    if (fd === '2') return 'stderr';
  }
  const path = fdPath ?? /"([^"]*)"/.exec(line)?.[1] ?? '';
  if (path.startsWith('pipe:') || path.startsWith('socket:') || path.startsWith('anon_inode:')) {
    return 'other';
  }
  const name = path.startsWith(own) ? path.slice(own.length + 1) : path;
  if (call === 'openat' && !path.startsWith(own)) return 'other';
  return name
    .replace(/draft-\w+/, 'draft')
    .replace(/(items-)\w+/, '$1SERVICE')
    .replace(/\.(\w+)\.tmp$/, '.TMP');
}

function countOf(db: string, prefix: string): number[] {
  const service = new DatabaseSync(db, { readOnly: true });
  try {
    return service
      .prepare('SELECT count(*) AS n FROM items WHERE code LIKE ? GROUP BY code')
      .all(`${prefix}%`)
      .map(({ n }) => Number(n));
  } finally {
    service.close();
  }
}
