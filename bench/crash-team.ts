// Several machines share a ledger in PostgreSQL and import at once, while proc and PostgreSQL are killed and
// connections are cut at random moments; once more through PgBouncer, if it is installed. Then cuts a connection at each
// step of an import. Compares the tables of the ledger with the database of the service.
//
//   npm run build && node bench/crash-team.ts [faults per run, 20; 0: only cuts] [rows per file, 4000] [seed …, 1]
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { collect, commandOf, NINE_PERCENT, startService } from '../test/e2e/import-ledger.ts';
import { type LedgerNoun, NOUNS } from '../test/e2e/ledger-nouns.ts';
import {
  type Cluster,
  type Cutter,
  cutter,
  freePort,
  query,
  startPostgres,
  unprivileged,
} from '../test/support/postgres.ts';
import { randomFrom } from '../test/support/random.ts';

/** Long enough for the last request of a job that was cut off. */
const SETTLE = '500ms';

/** No job may end otherwise: a bug, a refused key, a wrong file. */
const EXPECTED = new Set([0, 2, 3, 9, 10]);

const binary = resolve(import.meta.dirname, '../bin/proc.js');
const [faults = 20, rows = 4_000, ...given] = process.argv.slice(2).map(Number);
const SEEDS = given.length === 0 ? [1] : given;

const SHAPES: Readonly<
  Record<string, Pick<TeamOptions, 'noun' | 'machines' | 'isStateless' | 'isOverlapping'>>
> = {
  'one machine': { noun: 'items', machines: 1, isStateless: false, isOverlapping: false },
  'two machines, overlapping files': {
    ...{ noun: 'items', machines: 2, isStateless: false, isOverlapping: true },
  },
  'four machines, overlapping files': {
    ...{ noun: 'items', machines: 4, isStateless: false, isOverlapping: true },
  },
  'three stateless runners, one file': {
    ...{ noun: 'items', machines: 3, isStateless: true, isOverlapping: false },
  },
  'three stateless runners, imputations': {
    ...{ noun: 'imputations', machines: 3, isStateless: true, isOverlapping: false },
  },
};

await using cluster = await startPostgres();
let isGood = true;

async function inFolder(
  name: string,
  work: (folder: string) => Promise<Record<'lost' | 'doubled' | 'wrong', number>>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'proc-crash-team-'));
  try {
    const found = await work(folder);
    console.log(`${name}: ${JSON.stringify(found)}`);
    isGood &&= found.lost + found.doubled + found.wrong === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await using pooler = await startPooler();
if (pooler === undefined) console.log('PgBouncer is not installed');
for (const seed of faults > 0 ? SEEDS : []) {
  const play = (name: string, through?: TeamOptions['through']) => {
    const serviceFaults = NINE_PERCENT;
    const run = { binary, cluster, rows, faults, seed, serviceFaults, through, ...SHAPES[name]! };
    const title = `${name}${through ? ', PgBouncer' : ''}, seed ${seed}`;
    return inFolder(title, (folder) => crashTeam({ ...run, folder }));
  };
  for (const name of Object.keys(SHAPES)) await play(name);
  if (pooler !== undefined)
    for (const name of Object.keys(SHAPES).slice(-3)) await play(name, pooler.through);
}
const sides = ['client', 'server'] as const;
await Promise.all(
  sides.map((side) =>
    inFolder(`a cut at each piece from the ${side}`, (folder) =>
      cutEverywhere({ binary, folder, cluster, side, rows: 40 }),
    ),
  ),
);
console.log(isGood ? 'passed' : 'FAILED');
process.exitCode = isGood ? 0 : 1;

/** PgBouncer, which gives each transaction another connection. Undefined if it is not installed. */
async function startPooler(): Promise<
  (AsyncDisposable & { through(url: string): string }) | undefined
> {
  const folder = mkdtempSync('/tmp/proc-pooler-');
  // Its user is another one.
  chmodSync(folder, 0o755);
  const file = join(folder, 'pgbouncer.ini');
  const listen = await freePort();
  const { port } = cluster;
  const { username, password } = new URL(await cluster.database());
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listen}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 5
server_login_retry = 1
`,
  );
  const user = unprivileged();
  const child = spawn('pgbouncer', [file], { ...user, stdio: 'ignore' });
  const isMissing = await new Promise<boolean>((done) => {
    child.once('error', () => done(true));
    child.once('spawn', () => done(false));
  });
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (isMissing) {
    remove();
    return undefined;
  }
  return {
    through(url) {
      const way = new URL(url);
      way.port = String(listen);
      return way.href;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      remove();
    },
  };
}

/**
 * The crash test of a shared ledger: several machines import files at once, while processes, the database and connections
 * are cut off at random moments. Then the service's own books are compared with the tables of the ledger.
 */
interface TeamOptions {
  /** The built `bin/proc.js`. */
  readonly binary: string;
  readonly folder: string;
  readonly cluster: Cluster;
  /** An address of the ledger between machine and database, e.g. of a pooler. */
  readonly through?: ((url: string) => string) | undefined;
  readonly noun: 'items' | 'imputations';
  readonly machines: number;
  /** Each job begins with an empty state folder. */
  readonly isStateless: boolean;
  /** Of one file. If files overlap, each next file begins in the middle of the one before. */
  readonly rows: number;
  readonly isOverlapping: boolean;
  /** Kills of proc, crashes of PostgreSQL and cuts, together. */
  readonly faults: number;
  /** The text of `--faults` of the service. */
  readonly serviceFaults: string;
  readonly seed: number;
}

interface TeamCount {
  readonly kills: number;
  readonly crashes: number;
  readonly cuts: number;
  readonly jobs: number;
  readonly rows: number;
  /** Rows that are neither in the service nor open in the ledger. */
  readonly lost: number;
  readonly doubled: number;
  /** Entries of the ledger and records of the service that contradict each other. */
  readonly wrong: number;
  /** Rows without a list whose outcome is for a person to find out. */
  readonly parked: number;
  /** The exit codes of all jobs that were not killed, with their number. */
  readonly exitCodes: Readonly<Record<number, number>>;
  readonly seconds: number;
}

interface Machine {
  readonly file: string;
  readonly proxy: Cutter;
  job: ReturnType<typeof spawn> | undefined;
  isDone: boolean;
}

async function crashTeam(options: TeamOptions): Promise<TeamCount> {
  const { binary, folder, cluster, rows, machines: count, seed } = options;
  const noun: LedgerNoun = NOUNS[options.noun];
  const began = performance.now();
  const random = randomFrom(seed);
  const db = join(folder, 'service.db');
  const url = await cluster.database();
  const service = await startService(binary, folder, db, `${options.serviceFaults},seed=${seed}`);
  const total = { kills: 0, crashes: 0, cuts: 0, jobs: 0 };
  const exitCodes: Record<number, number> = {};
  const machines: Machine[] = [];
  const places = { binary, folder, service };
  const first = (at: number) => (options.isOverlapping ? Math.floor((at * rows) / 2) : 0);
  const all = first(count - 1) + rows;
  try {
    for (let at = 0; at < count; at++) {
      const file = join(folder, `rows-${at}.ndjson`);
      const numbers = Array.from({ length: rows }, (_, n) => first(at) + n);
      writeFileSync(file, numbers.map((n) => `${JSON.stringify(noun.row(n))}\n`).join(''));
      const proxy = await cutter(options.through?.(url) ?? url);
      machines.push({ file, proxy, job: undefined, isDone: false });
    }
    const run = async (machine: Machine, args: readonly string[], state: string) => {
      total.jobs++;
      const ended = runJob({ ...places, ledger: machine.proxy.url, state, args }, (job) => {
        machine.job = job;
      });
      const code = await ended.finally(() => {
        machine.job = undefined;
      });
      if (code !== null) exitCodes[code] = (exitCodes[code] ?? 0) + 1;
      return code;
    };
    const importing = async (machine: Machine, at: number): Promise<void> => {
      const pace = ['--yes', '-o', 'json', '--wait-lock', '20s'];
      const first = noun.isListed ? [] : ['--first-run'];
      const ownState = join(folder, `state-${at}`);
      for (let nth = 0; !machine.isDone; nth++) {
        const state = options.isStateless ? `${ownState}-${nth}` : ownState;
        const argv = [noun.command, 'import', machine.file, ...pace];
        // Another machine may have ended the first run meanwhile.
        const code = await run(machine, [...argv, ...first], state);
        const last = code === 2 && !noun.isListed ? await run(machine, argv, state) : code;
        machine.isDone = last === 0 || (last === 9 && !noun.isListed);
      }
    };
    const chaos = async (): Promise<void> => {
      for (let nth = 0; nth < options.faults; nth++) {
        await sleep(500 + random() * 2_500);
        const running = machines.filter(({ job }) => job !== undefined);
        const machine = running[Math.floor(random() * running.length)];
        if (machine === undefined) return;
        const what = random();
        if (what < 0.5) {
          machine.job?.kill('SIGKILL');
          total.kills++;
        } else if (what < 0.65) {
          await cluster.crash();
          await sleep(random() * 500);
          await cluster.start();
          total.crashes++;
        } else {
          machine.proxy.cutAt(random() < 0.5 ? 'client' : 'server', 1 + Math.floor(random() * 20));
          await sleep(1_000 + random() * 1_000);
          machine.proxy.heal();
          total.cuts++;
        }
      }
    };
    await Promise.all([...machines.map(importing), chaos()]);
    // Waits for late commits of the service.
    await sleep(300);
    const books = await compare(url, db, all, noun);
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    return { ...total, rows: all, ...books, exitCodes, seconds };
  } finally {
    for (const { job, proxy } of machines) {
      job?.kill('SIGKILL');
      await proxy[Symbol.asyncDispose]();
    }
    await service.stop();
  }
}

interface Places {
  readonly binary: string;
  readonly folder: string;
  readonly service: Awaited<ReturnType<typeof startService>>;
}

interface Job extends Places {
  /** How this job reaches the ledger. */
  readonly ledger: string;
  readonly state: string;
  readonly args: readonly string[];
}

async function runJob(
  { binary, folder, service, ledger, state, args }: Job,
  onStart?: (job: ReturnType<typeof spawn>) => void,
): Promise<number | null> {
  mkdirSync(state, { recursive: true });
  const job = spawn(...commandOf(binary, args), {
    env: {
      ...{ PATH: process.env.PATH, HOME: folder, PROC_STATE_DIR: state },
      ...{ XDG_CACHE_HOME: process.env.XDG_CACHE_HOME, PROC_CONFIG_DIR: join(folder, 'config') },
      ...{ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: service.key },
      ...{ PROC_LEDGER: ledger, PROC_LEDGER_LOOPBACK: '1', PROC_SETTLE: SETTLE },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onStart?.(job);
  const [, stderr, code] = await Promise.all([
    collect(job, job.stdout),
    collect(job, job.stderr),
    new Promise<number | null>((done) => job.once('exit', done)),
  ]);
  if (code !== null && !EXPECTED.has(code)) process.stderr.write(`${code}: ${stderr}\n`);
  return code;
}

/**
 * Cuts the connection to the ledger at each piece of data in turn that goes to the database, or comes from it. After each
 * cut, another machine imports the file.
 *
 * @returns `cuts`: until an import ended before its cut
 */
async function cutEverywhere({
  binary,
  folder,
  cluster,
  side,
  rows,
}: Pick<TeamOptions, 'binary' | 'folder' | 'cluster' | 'rows'> & {
  readonly side: 'client' | 'server';
}): Promise<Omit<TeamCount, 'kills' | 'crashes' | 'seconds' | 'parked'>> {
  const noun: LedgerNoun = NOUNS.items;
  const db = join(folder, 'service.db');
  const url = await cluster.database();
  const service = await startService(binary, folder, db, 'latency=2ms');
  const places = { binary, folder, service };
  const exitCodes: Record<number, number> = {};
  await using proxy = await cutter(url);
  try {
    for (let cuts = 0; ; cuts++) {
      const file = join(folder, `rows-${cuts}.ndjson`);
      const numbers = Array.from({ length: rows }, (_, n) => cuts * rows + n);
      writeFileSync(file, numbers.map((n) => `${JSON.stringify(noun.row(n))}\n`).join(''));
      const args = ['items', 'import', file, '--yes', '-o', 'json'];
      proxy.cutAt(side, cuts + 1);
      const states = [join(folder, `a-${cuts}`), join(folder, `b-${cuts}`)] as const;
      const first = await runJob({ ...places, ledger: proxy.url, state: states[0], args });
      const wasCut = proxy.pieces[side] > cuts;
      proxy.heal();
      const second = await runJob({ ...places, ledger: url, state: states[1], args });
      for (const code of [first!, second!]) exitCodes[code] = (exitCodes[code] ?? 0) + 1;
      if (wasCut) continue;
      const all = (cuts + 1) * rows;
      const { lost, doubled, wrong } = await compare(url, db, all, noun);
      return { cuts, jobs: 2 * (cuts + 1), rows: all, lost, doubled, wrong, exitCodes };
    }
  } finally {
    await service.stop();
  }
}

/** The tables of the ledger, read by SQL, beside the service's own database. */
async function compare(
  url: string,
  db: string,
  rows: number,
  noun: LedgerNoun,
): Promise<Pick<TeamCount, 'lost' | 'doubled' | 'wrong' | 'parked'>> {
  const service = new DatabaseSync(db, { readOnly: true });
  const there = new Map<string, unknown[]>();
  const ours = new Set(Array.from({ length: rows }, (_, n) => noun.key(n)));
  let wrong = 0;
  for (const { key, id } of service
    .prepare(`SELECT ${noun.column} AS key, id FROM ${noun.table}`)
    .all()) {
    if (ours.has(String(key))) there.set(String(key), [...(there.get(String(key)) ?? []), id]);
    else wrong++;
  }
  service.close();
  const entries = await query(
    url,
    'SELECT r.at & 4294967295 AS row, coalesce(r.code, r.key) AS key, state, id FROM rows r',
  );
  // Without a list, all machines have the same file, row by row.
  const keyOf = (entry: Record<string, unknown>) =>
    noun.isListed ? String(entry.key).toUpperCase() : noun.key(Number(entry.row) - 1);
  const byKey = Map.groupBy(entries, keyOf);
  const found = { lost: 0, doubled: 0, parked: 0 };
  for (const key of ours) {
    const ids = there.get(key) ?? [];
    const states = byKey.get(noun.isListed ? key.toUpperCase() : key) ?? [];
    const created = new Set(states.flatMap(({ state, id }) => (state === 'created' ? [id] : [])));
    const isOpen = states.some(({ state }) => state === 'unconfirmed');
    const isParked = !noun.isListed && isOpen && created.size === 0;
    if (isParked) found.parked++;
    if (ids.length === 0 && !isParked) found.lost++;
    if (ids.length > 1) found.doubled += ids.length - 1;
    if (created.size > 1 || [...created].some((id) => !ids.includes(id))) wrong++;
    if (ids.length > 0 && created.size === 0 && !isOpen) wrong++;
  }
  return { ...found, wrong };
}
