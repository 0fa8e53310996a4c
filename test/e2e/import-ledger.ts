import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The ledger of an import that is killed again and again: how often each row of the file exists in
 * the service's own database, counted by SQL, without asking proc.
 */
export interface Ledger {
  readonly kills: number;
  readonly rows: number;
  /** Rows of the file that the service does not have. */
  readonly lost: number;
  /** Rows that it has more than once. */
  readonly doubled: number;
  /** Rows whose final state in the journal is not `created` with the very id that the service has. */
  readonly misjudged: number;
  /** Exit code of the last run, which was left alone. */
  readonly exitCode: number | null;
  readonly seconds: number;
}

export interface LedgerOptions {
  /** The built `bin/proc.js`. */
  readonly binary: string;
  /** A fresh folder. */
  readonly folder: string;
  readonly rows: number;
  readonly kills: number;
  readonly seed: number;
  /** Without its seed. */
  readonly faults: string;
  readonly settle: string;
  /** Longest time between the first new row of a run and its kill, ms; every fifth comes before that. */
  readonly killWithin: number;
}

/** About nine requests in a hundred go wrong. */
export const NINE_PERCENT =
  'reset-after=2%,reset-before=2%,429=2%,503=1%,truncate=1%,html=1%,late-commit=100ms';

/** What must make the ledger wrong: a copy of the program with one line of it changed. */
export const MUTANTS = {
  /** A create whose outcome is not known is simply sent again. */
  'repeats blindly': [
    /state: "unknown",\n(\s*)status: outcome\.status/,
    'state: "pending",\n$1status: outcome.status',
  ],
  /** Rows are written as sent only with their outcome. */
  'intent after sending': [/this\.#intend\.run\(now, this\.#cursor, last\);/, ''],
} as const;

/** @returns the path of the changed program's `bin/proc.js` */
export function mutate(binary: string, folder: string, mutant: keyof typeof MUTANTS): string {
  cpSync(join(binary, '../..', 'bin'), join(folder, 'bin'), { recursive: true });
  cpSync(join(binary, '../..', 'dist'), join(folder, 'dist'), { recursive: true });
  const [pattern, replacement] = MUTANTS[mutant];
  let hits = 0;
  for (const file of readdirSync(join(folder, 'dist')).filter((name) => name.endsWith('.cjs'))) {
    const path = join(folder, 'dist', file);
    const text = readFileSync(path, 'utf8');
    if (!pattern.test(text)) continue;
    hits++;
    writeFileSync(path, text.replace(pattern, replacement));
  }
  if (hits !== 1) throw new Error(`the mutant "${mutant}" matches ${hits} places of the program`);
  return join(folder, 'bin/proc.js');
}

/** Imports a file with kill -9 at random moments, lets the last run finish, and counts. */
export async function crashLedger(options: LedgerOptions): Promise<Ledger> {
  const { binary, folder, rows, kills, seed } = options;
  const began = performance.now();
  const file = join(folder, 'rows.ndjson');
  writeFileSync(file, [...Array(rows).keys()].map((n) => `${JSON.stringify(row(n))}\n`).join(''));
  const db = join(folder, 'service.db');
  const service = await startService(binary, folder, db, `${options.faults},seed=${seed}`);
  try {
    const random = randomFrom(seed);
    const pace = [
      '--settle',
      options.settle,
      '--patience',
      '2m',
      '--timeout',
      '10s',
      '--concurrency',
      '24',
    ];
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      PROC_STATE_DIR: join(folder, 'state'),
      PROC_CONFIG_DIR: join(folder, 'config'),
      PROC_BASE_URL: service.baseUrl,
      PROC_API_KEY: service.key,
    };
    const proc = (args: readonly string[]) =>
      spawn(process.execPath, [binary, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let done = 0;
    let exitCode: number | null = null;
    for (;;) {
      const isBegun = runsIn(folder).length > 0;
      const child = proc(
        isBegun
          ? ['imports', 'resume', '--yes', ...pace]
          : ['items', 'import', file, '--yes', ...pace],
      );
      const said = collect(child);
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      if (done >= kills) {
        exitCode = await ended;
        if (exitCode !== 0) process.stderr.write(await said);
        break;
      }
      const isEarly = random() < 0.2;
      const timer = new AbortController();
      const moment = isEarly
        ? sleep(random() * 500, undefined, timer)
        : created(db, timer.signal).then(() =>
            sleep(random() * options.killWithin, undefined, timer),
          );
      const winner = await Promise.race([
        ended.then((code) => ({ code })),
        moment.then(() => undefined).catch(() => undefined),
      ]);
      timer.abort();
      if (winner !== undefined) {
        // It was done before its time: fewer kills than wished for, and no more to come.
        exitCode = winner.code;
        if (exitCode !== 0) process.stderr.write(await said);
        break;
      }
      child.kill('SIGKILL');
      await ended;
      done++;
    }
    // Late commits are over by now; the service keeps running while it is counted.
    await sleep(300);
    const journal = join(folder, 'state/imports', runsIn(folder)[0] ?? 'none');
    return {
      kills: done,
      rows,
      ...count(db, journal, rows),
      exitCode,
      seconds: Math.round((performance.now() - began) / 100) / 10,
    };
  } finally {
    await service.stop();
  }
}

function row(n: number): Record<string, string> {
  // Codes that do not come in their own order, as in real files.
  return { code: `CL-${String((n * 7919) % 1_000_003).padStart(7, '0')}`, name: `Row ${n}` };
}

/** Waits until the service has a row more than now. */
async function created(db: string, signal: AbortSignal): Promise<void> {
  const service = new DatabaseSync(db, { readOnly: true });
  try {
    const statement = service.prepare('SELECT max(seq) AS seq FROM items');
    const before = statement.get()!.seq;
    while (!signal.aborted && statement.get()!.seq === before) await sleep(2);
  } finally {
    service.close();
  }
}

/** By SQL on the service's database alone; the journal is only compared with it. */
function count(
  db: string,
  journal: string,
  rows: number,
): Pick<Ledger, 'lost' | 'doubled' | 'misjudged'> {
  const service = new DatabaseSync(db, { readOnly: true });
  const own = new DatabaseSync(journal, { readOnly: true });
  try {
    const [found] = service
      .prepare('SELECT count(DISTINCT code) AS codes, count(*) AS n FROM items')
      .all() as [{ codes: number; n: number }];
    const ids = new Map(
      service
        .prepare('SELECT code, id FROM items')
        .all()
        .map(({ code, id }) => [code, id]),
    );
    const misjudged = own
      .prepare('SELECT code, id, state FROM rows')
      .all()
      .filter(({ code, id, state }) => state !== 'created' || ids.get(code!) !== id).length;
    return { lost: rows - found.codes, doubled: found.n - found.codes, misjudged };
  } finally {
    service.close();
    own.close();
  }
}

function runsIn(folder: string): string[] {
  try {
    return readdirSync(join(folder, 'state/imports')).filter((name) => name.endsWith('.db'));
  } catch {
    return [];
  }
}

async function startService(binary: string, folder: string, db: string, faults: string) {
  const env = { PATH: process.env.PATH, HOME: folder, PROC_STATE_DIR: join(folder, 'service') };
  const child = spawn(
    process.execPath,
    [
      binary,
      'sandbox',
      'start',
      '--port',
      '0',
      '--db',
      db,
      '--empty',
      '--quiet',
      '--faults',
      faults,
    ],
    { env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [line] = (await new Promise((resolve) =>
    createInterface({ input: child.stdout }).once('line', (text) => resolve([text])),
  )) as [string];
  const { url, key } = JSON.parse(line) as { url: string; key: string };
  return {
    baseUrl: url,
    key,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function collect(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    child.stderr?.on('data', (chunk) => {
      text = (text + chunk).slice(-4_000);
    });
    child.once('close', () => resolve(text));
  });
}

/** The same numbers for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
