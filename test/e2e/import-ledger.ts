import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { randomFrom } from '../support/random.ts';
import { type Count, count, type LedgerNoun, NOUNS, type SaidRow } from './ledger-nouns.ts';

/**
 * The crash test of imports. It kills an import many times, then compares what `imports rows` says with the database of
 * the service. It knows nothing else of proc.
 */
export interface Ledger extends Count {
  readonly kills: number;
  /** Number of times that the service was killed too. */
  readonly serviceKills: number;
  readonly rows: number;
  /** Exit code of the last run, which the test did not kill. */
  readonly exitCode: number | null;
  readonly summary: Readonly<Record<string, unknown>>;
  /** Records that a second import of the same file added. Only for nouns without a list. */
  readonly sentAgain: number;
  /** Rows that were parked because the process was killed. */
  readonly cutOff: number;
  readonly underWay: number;
  readonly seconds: number;
}

export interface LedgerOptions {
  /** Time limit of the last run (default 5 minutes): a broken program may never end. */
  readonly lastRunMs?: number;
  /** The built `bin/proc.js`, or an executable of a release. */
  readonly binary: string;
  readonly folder: string;
  readonly noun?: keyof typeof NOUNS;
  readonly rows: number;
  readonly kills: number;
  readonly seed: number;
  /** The text of `--faults`, without the seed. */
  readonly faults: string;
  readonly settle: string;
  /**
   * Maximum time from the first new row of a run to its kill, ms. One run in five is killed within 500 ms of
   * its start instead.
   */
  readonly killWithin: number;
  /** Share of runs in which the service is killed too, in [0, 1] (default 0). */
  readonly serviceKills?: number;
}

export const NINE_PERCENT =
  'reset-after=2%,reset-before=2%,429=2%,503=1%,truncate=1%,html=1%,late-commit=100ms';

/** Broken copies of the built program, with one changed line each. The crash test must detect them. */
export const MUTANTS = {
  /** Sends a create again although its outcome is unknown. */
  'repeats blindly': [
    /state: "unconfirmed",\n(\s*)status: outcome\.status/,
    'state: "pending",\n$1status: outcome.status',
  ],
  /** Sends again what a killed process was sending. */
  'forgets what was under way': [
    /(WHEN intent IS NULL THEN 'pending' ELSE) 'unconfirmed' END/,
    "$1 'pending' END",
  ],
  /** Sends again what an earlier run has sent. */
  'forgets what was sent': [/(n\.noun = \? AND r\.intent IS) NOT NULL/, '$1 NULL'],
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

export function commandOf(binary: string, args: readonly string[]): [file: string, args: string[]] {
  return binary.endsWith('.js') ? [process.execPath, [binary, ...args]] : [binary, [...args]];
}

const MOST_MS = 300_000;
const CONCURRENCY = 24;

/** Imports a file, and kills the import at random moments. Lets the last run finish, and counts the records. */
export async function crashLedger(options: LedgerOptions): Promise<Ledger> {
  const { binary, folder, rows, kills, seed } = options;
  const noun: LedgerNoun = NOUNS[options.noun ?? 'items'];
  const began = performance.now();
  const file = join(folder, 'rows.ndjson');
  writeFileSync(
    file,
    [...Array(rows).keys()].map((n) => `${JSON.stringify(noun.row(n))}\n`).join(''),
  );
  const db = join(folder, 'service.db');
  const service = await startService(binary, folder, db, `${options.faults},seed=${seed}`);
  try {
    const random = randomFrom(seed);
    const pace = ['--timeout', '10s'];
    const firstRun = noun.isListed ? [] : ['--first-run'];
    const env = {
      PATH: process.env.PATH,
      XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
      HOME: folder,
      PROC_STATE_DIR: join(folder, 'state'),
      PROC_CONFIG_DIR: join(folder, 'config'),
      PROC_BASE_URL: service.baseUrl,
      PROC_API_KEY: service.key,
      PROC_SETTLE: options.settle,
      PROC_PATIENCE: '2m',
      PROC_CONCURRENCY: String(CONCURRENCY),
    };
    const proc = (args: readonly string[]) =>
      spawn(...commandOf(binary, args), { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const json = async (args: readonly string[]): Promise<unknown[]> => {
      const child = proc([...args, '-o', 'json']);
      const [printed, failed] = await Promise.all([
        collect(child, child.stdout, Number.POSITIVE_INFINITY),
        collect(child, child.stderr),
      ]);
      if (printed === '') throw new Error(`${args.join(' ')}: ${failed}`);
      return JSON.parse(printed) as unknown[];
    };
    let done = 0;
    let serviceKills = 0;
    const importing = [noun.command, 'import', file, '--yes', ...pace];
    let exitCode: number | null = null;
    let summary = '';
    for (;;) {
      const runs = (await json(['imports', 'list'])) as ListedRun[];
      const unfinished = runs.find(isUnfinished);
      // The same import takes over what a killed one has left; some users resume it instead.
      const isResumed = unfinished !== undefined && done < kills && random() < 0.4;
      const first = runs.length === 0 ? firstRun : [];
      const child = proc(
        isResumed
          ? ['imports', 'resume', unfinished.run, '--yes', ...pace]
          : [...importing, ...first],
      );
      const said = collect(child, child.stderr);
      const printed = collect(child, child.stdout);
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      if (done >= kills) {
        const end = setTimeout(() => child.kill('SIGKILL'), options.lastRunMs ?? MOST_MS);
        exitCode = await ended;
        clearTimeout(end);
        summary = await printed;
        if (summary === '') process.stderr.write(await said);
        break;
      }
      const isEarly = random() < 0.2;
      const timer = new AbortController();
      const later = () => sleep(random() * options.killWithin, undefined, timer);
      const moment = (
        isEarly
          ? sleep(random() * 500, undefined, timer)
          : created(db, noun.table, timer.signal).then(later)
      ).then(async () => {
        if (options.serviceKills === undefined || random() >= options.serviceKills) return;
        serviceKills++;
        await service.killAndRestart(random() * 300);
        await later();
      });
      const winner = await Promise.race([
        ended.then((code) => ({ code })),
        moment.then(() => undefined).catch(() => undefined),
      ]);
      timer.abort();
      await service.isBack();
      if (winner !== undefined && !isResumed) {
        exitCode = winner.code;
        summary = await printed;
        if (summary === '') process.stderr.write(await said);
        break;
      }
      child.kill('SIGKILL');
      await ended;
      done++;
    }
    // Waits for late commits of the service.
    await sleep(300);
    const told = new Map<number, SaidRow>();
    for (const { run } of ((await json(['imports', 'list'])) as ListedRun[]).toReversed()) {
      for (const row of (await json(['imports', 'rows', run])) as SaidRow[]) {
        if (told.get(row.row)?.state !== 'created') told.set(row.row, row);
      }
    }
    const found = count(db, told, rows, noun);
    const before = sizeOf(db, noun);
    const cutOff = [...told.values()].filter(isCutOff).length;
    if (!noun.isListed) {
      const again = proc(importing);
      const end = setTimeout(() => again.kill('SIGKILL'), options.lastRunMs ?? MOST_MS);
      await collect(again, again.stdout);
      clearTimeout(end);
    }
    return {
      kills: done,
      serviceKills,
      rows,
      ...found,
      sentAgain: sizeOf(db, noun) - before,
      cutOff,
      underWay: done * CONCURRENCY,
      exitCode,
      summary: summary === '' ? {} : JSON.parse(summary),
      seconds: Math.round((performance.now() - began) / 100) / 10,
    };
  } finally {
    await service.stop();
  }
}

function sizeOf(db: string, { table }: LedgerNoun): number {
  const service = new DatabaseSync(db, { readOnly: true });
  try {
    return Number(service.prepare(`SELECT count(*) AS n FROM ${table}`).get()!.n);
  } finally {
    service.close();
  }
}

interface ListedRun {
  readonly run: string;
  readonly next?: readonly { readonly command: string }[];
}

function isUnfinished({ next }: ListedRun): boolean {
  return next?.some(({ command }) => command.includes('imports resume')) === true;
}

/** Whether a row is unconfirmed because the process was killed. */
function isCutOff({ state, reason }: SaidRow): boolean {
  return state === 'unconfirmed' && reason === null;
}

async function created(db: string, table: string, signal: AbortSignal): Promise<void> {
  const service = new DatabaseSync(db, { readOnly: true });
  try {
    const statement = service.prepare(`SELECT max(seq) AS seq FROM ${table}`);
    const before = statement.get()!.seq;
    while (!signal.aborted && statement.get()!.seq === before) await sleep(2);
  } finally {
    service.close();
  }
}

export async function startService(binary: string, folder: string, db: string, faults: string) {
  const env = { PATH: process.env.PATH, HOME: folder, PROC_STATE_DIR: join(folder, 'service') };
  const start = async (port: number) => {
    const flags = ['--port', String(port), '--db', db, '--quiet', '--faults', faults];
    if (port === 0) flags.push('--empty');
    // execa ends it with this process.
    const child = execa(...commandOf(binary, ['sandbox', 'start', ...flags]), {
      ...{ env, extendEnv: false, reject: false, buffer: false },
      ...({ stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' } as const),
    });
    const line = await new Promise<string>((resolve) =>
      createInterface({ input: child.stdout }).once('line', resolve),
    );
    return { child, ...(JSON.parse(line) as { url: string; key: string }) };
  };
  let running = await start(0);
  const end = async ({ child }: typeof running, signal: NodeJS.Signals) => {
    child.kill(signal);
    await child;
  };
  let back: Promise<void> = Promise.resolve();
  const { url: baseUrl, key } = running;
  return {
    baseUrl,
    key,
    /** Kills the service at once, and starts it on the same port and database after `ms`. */
    killAndRestart(ms: number): Promise<void> {
      back = end(running, 'SIGKILL')
        .then(() => sleep(ms))
        .then(async () => {
          running = await start(Number(new URL(baseUrl).port));
        });
      return back;
    },
    isBack: () => back,
    stop: () => end(running, 'SIGTERM'),
  };
}

/** @param most characters to keep, the last ones */
export function collect(
  child: ChildProcess,
  stream: Readable | null,
  most = 4_000,
): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    stream?.on('data', (chunk) => {
      text += chunk;
      if (text.length > most) text = text.slice(-most);
    });
    child.once('close', () => resolve(text));
  });
}
