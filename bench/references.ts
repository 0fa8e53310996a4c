// The cost of references: 5,000 rows refer to orders or items by code, in lists of 20,000. Counts
// the requests at the service. All commands are dry runs, which send nothing else.
//   npm run bench:references [-- ROWS LIST]
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SANDBOX_KEYS } from '../src/sandbox/server/sandbox-keys.ts';
import { startSandbox } from '../src/sandbox/server/server.ts';

const [ROWS = 5_000, LIST = 20_000] = process.argv.slice(2).map(Number);
const BINARY = resolve(import.meta.dirname, '../bin/proc.js');
const folder = mkdtempSync(join(tmpdir(), 'proc-bench-'));
const db = join(folder, 'service.db');
const [{ apiKey, organizationId }] = SANDBOX_KEYS;

const codeOf = (n: number) => `C-${String(n).padStart(6, '0')}`;

function fill(): void {
  const database = new DatabaseSync(db);
  database.exec('DELETE FROM orders; BEGIN');
  const at = '2026-01-01T00:00:00.000Z';
  const order = database.prepare(
    "INSERT INTO orders (id, organizationId, code, amount, currency, createdAt, updatedAt) VALUES (?, ?, ?, 1000000000, 'USD', ?, ?)",
  );
  const item = database.prepare(
    'INSERT INTO items (id, organizationId, code, name, createdAt, updatedAt) VALUES (?, ?, ?, ?, ?, ?)',
  );
  for (let n = 0; n < LIST; n++) {
    const mixed = (n * 7_919) % LIST;
    order.run(`ord-${mixed}`, organizationId, codeOf(mixed), at, at);
    item.run(`item-${mixed}`, organizationId, codeOf(mixed), `Item ${mixed}`, at, at);
  }
  database.exec('COMMIT');
  database.close();
}

await (await startSandbox({ db })).close();
fill();
let requests = 0;
const sandbox = await startSandbox({ db, onRequest: () => requests++ });

const IMPUTATIONS = ['imputations', 'import', 'a.csv', '--map', 'order=PO'];
const LINES = [
  ...['requisition', 'import', 'a.csv', '--group-by', 'R', '--map', 'title=R', '--map'],
  ...['item.code=SKU', '--map', 'quantity=Q', '--set', 'group.deliveryMethod=pickup'],
];

async function measure(what: string, distinct: number, args: readonly string[]): Promise<void> {
  const isOrder = args[0] === 'imputations';
  const step = Math.floor(LIST / distinct);
  const rows = Array.from({ length: ROWS }, (_, n) => {
    const code = codeOf((n % distinct) * step);
    return isOrder ? `R-${n},1.5,${code}` : `R-${Math.floor(n / 10)},${code},1`;
  });
  const header = isOrder ? 'reference,amount,PO' : 'R,SKU,Q';
  writeFileSync(join(folder, 'a.csv'), `${header}\n${rows.join('\n')}\n`);
  requests = 0;
  const began = performance.now();
  const flags = isOrder ? ['--map', 'reference=reference', '--map', 'amount=amount'] : [];
  const child = spawn(process.execPath, [BINARY, ...args, ...flags, '--dry-run'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      PROC_STATE_DIR: join(folder, 'state'),
      PROC_CONFIG_DIR: join(folder, 'config'),
      PROC_BASE_URL: sandbox.baseUrl,
      PROC_API_KEY: apiKey,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  await new Promise((done) => child.once('close', done));
  const seconds = (performance.now() - began) / 1000;
  const { create, invalid } = JSON.parse(stdout) as { create: number; invalid: number };
  console.log(
    `${what.padEnd(34)} ${String(distinct).padStart(6)} distinct  ${String(requests).padStart(4)} requests  ${seconds.toFixed(2)} s  to create ${create}, invalid ${invalid}`,
  );
}

try {
  for (const distinct of [1, 10, 500, Math.min(ROWS, LIST)]) {
    await measure(`${ROWS} imputations, ${LIST} orders`, distinct, IMPUTATIONS);
  }
  for (const distinct of [10, 2_000]) {
    await measure(`${ROWS} flat rows, ${LIST} items`, Math.min(distinct, LIST), LINES);
  }
} finally {
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
}
