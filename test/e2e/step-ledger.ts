import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REFUSED_NAME, type Steps, startOutOfStep } from '../support/out-of-step.ts';

export interface Kind {
  readonly noun?: 'requisition';
  /** The service rejects every row whose number is a multiple of this, with 400. */
  readonly refused?: number;
  /** Codes such as `C-7`, which many other codes begin with. */
  readonly hasShortCodes?: boolean;
  readonly steps: Omit<Steps, 'seed'>;
}

/** Counts of rows. Each row is compared with the service's own record. */
export interface Count {
  rows: number;
  faults: number;
  doubled: number;
  lost: number;
  wrongIds: number;
  rejectedThoughStored: number;
  refusedTakenForSuccess: number;
  parked: number;
  seconds: number;
  stories: string[];
}

export interface StepLedgerOptions {
  readonly binary: string;
  readonly folder: string;
  readonly rows: number;
  readonly seed: number;
}

export async function stepLedger(
  { noun, refused, hasShortCodes, steps }: Kind,
  { binary, folder, rows, seed }: StepLedgerOptions,
): Promise<Count> {
  const own = mkdtempSync(join(folder, 'run-'));
  const service = await startOutOfStep({ ...steps, seed: seed * 7_919 });
  const key = (row: number) =>
    hasShortCodes === true ? `C-${row}` : `C-${String((row * 7919) % 10_000_019).padStart(8, '0')}`;
  const isRefused = (row: number) => refused !== undefined && row % refused === 0;
  const file = join(own, 'rows.ndjson');
  const lines = Array.from({ length: rows }, (_, at) => {
    const start = isRefused(at + 1) ? `${REFUSED_NAME} ` : '';
    const body =
      noun === undefined
        ? { code: key(at + 1), name: `${start}item ${at + 1}` }
        : {
            title: `${start}${key(at + 1)}`,
            groups: [{ deliveryMethod: 'pickup', items: [{ itemId: 'i-1', quantity: 1 }] }],
          };
    return JSON.stringify(body);
  });
  writeFileSync(file, lines.join('\n'));
  const results = join(own, 'results.csv');
  const began = performance.now();
  const args = [
    ...[noun ?? 'items', 'import', file, '--yes', '--results', results],
    ...['--rejected', join(own, 'rejected.ndjson'), '--again'],
    ...(noun === undefined ? [] : ['--first-run']),
  ];
  const env = {
    PATH: process.env.PATH,
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
    HOME: own,
    PROC_STATE_DIR: own,
    PROC_CONFIG_DIR: own,
    PROC_BASE_URL: service.baseUrl,
    PROC_API_KEY: 'k-1',
    PROC_SETTLE: '1s',
    PROC_CONCURRENCY: '64',
  };
  const { code, stderr } = await run([binary, ...args], env);
  const count = { ...none(), rows, faults: service.counts.faults };
  count.seconds = (performance.now() - began) / 1000;
  if (code !== 0 && code !== 8 && code !== 9)
    throw new Error(`exit ${code}: ${stderr.slice(-800)}`);
  const [, ...became] = readFileSync(results, 'utf8').trimEnd().split('\n');
  if (became.length !== rows) throw new Error(`${became.length} results for ${rows} rows`);
  for (const line of became) {
    const [rowText, , state, , , id] = line.split(',');
    const row = Number(rowText);
    const stored = service.books.get(key(row)) ?? [];
    const wrongBefore = wrong(count);
    if (stored.length > 1) count.doubled++;
    if (state === 'unconfirmed') count.parked++;
    if (state === 'created') {
      if (isRefused(row)) count.refusedTakenForSuccess++;
      else if (!stored.includes(id ?? '')) count.wrongIds++;
    } else if (state === 'rejected') {
      if (stored.length > 0) count.rejectedThoughStored++;
      else if (!isRefused(row)) count.lost++;
    } else if (state !== 'unconfirmed') count.lost++;
    if (wrong(count) > wrongBefore) {
      const said = service.story.get(key(row)) ?? [];
      count.stories.push(`seed ${seed}: ${line} (stored ${stored.length}): ${said.join(', ')}`);
    }
  }
  await service.close();
  rmSync(own, { recursive: true, force: true });
  return count;
}

function run(args: string[], env: NodeJS.ProcessEnv): Promise<{ code: number; stderr: string }> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr = (stderr + chunk).slice(-4_000);
  });
  return new Promise((done) => child.once('close', (code) => done({ code: code ?? -1, stderr })));
}

function none(): Count {
  return {
    rows: 0,
    faults: 0,
    doubled: 0,
    lost: 0,
    wrongIds: 0,
    rejectedThoughStored: 0,
    refusedTakenForSuccess: 0,
    parked: 0,
    seconds: 0,
    stories: [],
  };
}

function wrong(count: Count): number {
  return (
    count.doubled +
    count.lost +
    count.wrongIds +
    count.rejectedThoughStored +
    count.refusedTakenForSuccess
  );
}
