import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Calls that change a disk, as Node and SQLite make them. `write` also serves pipes: see `ownFiles`. */
export const CALLS = ['pwrite64', 'write', 'fsync', 'fdatasync', 'ftruncate', 'rename'] as const;
type Call = (typeof CALLS)[number];
export const ERRORS = ['EIO', 'ENOSPC'] as const;
type DiskError = (typeof ERRORS)[number];
type Work = 'import' | 'create';

export const hasStrace =
  process.platform === 'linux' && spawnSync('strace', ['-V'], { stdio: 'ignore' }).status === 0;

/** The call that fails: the `nth` of its kind in each thread. */
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

/** The outcome of a command with a failed system call, and of the commands that completed its work. */
interface Outcome {
  /** False: the command made fewer such calls, so nothing failed. */
  readonly isHit: boolean;
  /** The call that failed, as strace prints it. */
  readonly failed: string;
  readonly first: Ended;
  /** Number of rows in the service after the failed command. */
  readonly atFirst: number;
  /** Everything that is not as it should be. */
  readonly wrong: readonly string[];
}

interface Service {
  readonly url: string;
  readonly key: string;
  readonly db: string;
}

const ROWS = 6;
const MOST_STEPS = 4;
/** The allowed exit codes: success, unwritable state, unknown outcome, incomplete, result not delivered. */
const EXITS = [0, 3, 9, 10, 11];

let attempts = 0;

/** Runs an import or a single write with one failing call, completes the work, and counts the rows by SQL. */
export async function withFault(
  fault: Fault,
  service: Service,
  binary: string,
  folder: string,
): Promise<Outcome> {
  const own = mkdtempSync(join(folder, 'fault-'));
  const prefix = `D${attempts++}-`;
  const env = {
    PATH: process.env.PATH,
    HOME: own,
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
    NODE_DISABLE_COMPILE_CACHE: '1',
    PROC_STATE_DIR: join(own, 'state'),
    PROC_CONFIG_DIR: join(own, 'config'),
    PROC_BASE_URL: service.url,
    PROC_API_KEY: service.key,
  };
  const rows = fault.work === 'import' ? ROWS : 1;
  mkdirSync(env.PROC_STATE_DIR, { mode: 0o700 });
  writeFileSync(
    join(own, 'rows.ndjson'),
    Array.from({ length: rows }, (_, n) =>
      JSON.stringify({ code: `${prefix}${n}`, name: 'Row' }),
    ).join('\n'),
  );
  const pace = ['--concurrency', '2', '--settle', '1ms', '--timeout', '5s'];
  const start =
    fault.work === 'import'
      ? ['items', 'import', 'rows.ndjson', '--yes', ...pace]
      : ['items', 'create', '--code', `${prefix}0`, '--name', 'Row'];
  const log = join(own, 'strace.log');
  const inject = `${fault.call}:error=${fault.error}:when=${fault.nth}`;
  const only = fault.call === 'write' ? ownFiles(env.PROC_STATE_DIR, binary, start, env, own) : [];
  const traced = [
    '-f',
    '-y',
    '-o',
    log,
    ...only,
    '-e',
    `trace=${fault.call}`,
    '-e',
    `inject=${inject}`,
  ];
  const proc = (args: readonly string[], before: readonly string[] = []) => {
    const [command, ...rest] = [...before, process.execPath, binary, ...args];
    return endOf(command!, rest, env, own);
  };
  const first = await proc(start, ['strace', ...traced]);
  const failed = readFileSync(log, 'utf8')
    .split('\n')
    .find((line) => line.includes('(INJECTED)'));
  const atFirst = countOf(service.db, prefix).length;
  if (failed === undefined) return { isHit: false, failed: '', first, atFirst, wrong: [] };
  const wrong: string[] = faultsOf(first);
  // Exit 3 means that nothing was sent.
  if (first.exitCode === 3 && atFirst > 0) wrong.push(`exit 3, but ${atFirst} rows were sent`);
  let last = first;
  for (let step = 0; step < MOST_STEPS && countOf(service.db, prefix).length < rows; step++) {
    // Resumes the run, or starts again if the failure came before there was a run.
    const isResumed: boolean = runsIn(env.PROC_STATE_DIR) && last.exitCode !== 2;
    last = await proc(isResumed ? ['imports', 'resume', '--yes', ...pace] : start);
    if (last.exitCode !== 2) wrong.push(...faultsOf(last).map((one) => `afterwards: ${one}`));
  }
  const again = fault.work === 'import' ? await proc(['imports', 'list', '-o', 'json']) : undefined;
  if (again !== undefined && again.exitCode !== 0) wrong.push(`imports list: ${again.stderr}`);
  const counts = countOf(service.db, prefix);
  const doubled = counts.filter((n) => n > 1).length;
  if (counts.length < rows) wrong.push(`${rows - counts.length} rows are missing: ${last.stderr}`);
  if (doubled > 0) wrong.push(`${doubled} rows exist twice`);
  return { isHit: true, failed, first, atFirst, wrong };
}

/** Checks that there is exactly one error, no stack trace, and an allowed exit code. */
function faultsOf({ exitCode, stderr }: Ended): string[] {
  const wrong: string[] = [];
  const errors = stderr.split('\n').filter((line) => line.startsWith('{"error"'));
  if (!EXITS.includes(exitCode ?? -1)) wrong.push(`exit ${exitCode}: ${stderr}`);
  if (/^\s+at /m.test(stderr)) wrong.push(`a stack trace: ${stderr}`);
  if (errors.length !== (exitCode === 0 ? 0 : 1)) {
    wrong.push(`${errors.length} errors at exit ${exitCode}: ${stderr}`);
  }
  return wrong;
}

/** The options with which strace watches only files in the state folder, found by a run without faults. */
function ownFiles(
  state: string,
  binary: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): string[] {
  const log = join(cwd, 'writes.log');
  const shown = [...args, '--dry-run'];
  const traced = ['-f', '-y', '-o', log, '-e', 'trace=write', process.execPath, binary, ...shown];
  spawnSync('strace', traced, { env, cwd, stdio: 'ignore' });
  const files = [...readFileSync(log, 'utf8').matchAll(/write\(\d+<([^>]+)>/g)].map(
    ([, file]) => file!,
  );
  const ours = [...new Set(files)].filter((file) => file.startsWith(state));
  return [...ours, join(state, 'nothing')].flatMap((file) => ['-P', file]);
}

function runsIn(state: string): boolean {
  try {
    return readdirSync(join(state, 'imports')).some((name) => name.endsWith('.db'));
  } catch {
    return false;
  }
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

function endOf(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<Ended> {
  const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve) => {
    child.once('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
}
