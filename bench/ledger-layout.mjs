// Compares three layouts for the rows and staged records of imports. The ledger has the layout
// `split`.
//
//   node bench/ledger-layout.mjs [rows] [sent]
//
//   run      rows and records in a file per run
//   split    rows move to the shared ledger when sending begins; records stay in a file per run
//   shared   rows and records in the shared ledger from the first row on
//
// Also measures how long a single write of another process has to wait.
import { spawn } from 'node:child_process';
import { fdatasync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';

const [first, second] = process.argv.slice(2);
const COLUMNS = `row INTEGER NOT NULL, state TEXT NOT NULL, code TEXT, name TEXT, id TEXT, status INTEGER, reason TEXT,
  sent_at INTEGER, tries INTEGER NOT NULL DEFAULT 0, looked_up INTEGER NOT NULL DEFAULT 0, fingerprint TEXT`;
const RECORDS = 'row INTEGER PRIMARY KEY, line INTEGER, fields TEXT, body TEXT';

if (first === 'writer') await writer(second);
else await compare(Number(first ?? 200_000), Number(second ?? 60_000));

/** Writes one entry at a time, as single commands do, and prints how long the writes took. */
async function writer(path) {
  const database = open(path);
  const insert = database.prepare('INSERT INTO entries (what) VALUES (?)');
  const waits = [];
  let isOver = false;
  process.on('SIGTERM', () => {
    isOver = true;
  });
  process.stdout.write('\n');
  while (!isOver) {
    const began = performance.now();
    database.exec('BEGIN IMMEDIATE');
    insert.run('create item');
    database.exec('COMMIT');
    waits.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  waits.sort((a, b) => a - b);
  const at = (share) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0;
  process.stdout.write(
    JSON.stringify({ n: waits.length, p50: at(0.5), p99: at(0.99), max: at(1) }),
  );
}

function open(path, pageSize = 4096) {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec(`PRAGMA page_size = ${pageSize}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 2000; PRAGMA cache_size = -4096;
    CREATE TABLE IF NOT EXISTS entries (seq INTEGER PRIMARY KEY, what TEXT)`);
  return database;
}

/** Lets another process that polls for the lock get it. */
async function pause() {
  await new Promise((resolve) => setTimeout(resolve, 5));
}

async function compare(rows, sent) {
  for (const layout of ['run', 'split', 'shared', 'run', 'split', 'shared']) {
    const folder = mkdtempSync(join(tmpdir(), 'proc-layout-'));
    const figures = await measured(layout, folder, rows, sent);
    console.log(
      layout.padEnd(7),
      Object.entries(figures)
        .map(([key, value]) => `${key} ${value}`)
        .join(' · '),
    );
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured(layout, folder, rows, sent) {
  const ledgerPath = join(folder, 'ledger.db');
  const runPath = join(folder, 'run.db');
  open(ledgerPath).close();
  const mainPath = layout === 'run' ? runPath : ledgerPath;
  const database = open(mainPath, layout === 'run' ? 16_384 : 4096);
  const isShared = layout !== 'run';
  // In the shared file, the key of a row contains the number of its run. A PRIMARY KEY (run, row)
  // would make json_each slow.
  const base = isShared ? 2 ** 32 : 0;
  let staged = database;
  if (layout === 'split') {
    // Not attached while it is filled, because BEGIN IMMEDIATE locks every attached file.
    staged = open(runPath, 16_384);
    staged.exec(
      `CREATE TABLE rows (${COLUMNS}, PRIMARY KEY (row)) STRICT; CREATE TABLE records (${RECORDS}) STRICT`,
    );
    database.exec(`CREATE TABLE rows (${COLUMNS}, PRIMARY KEY (row)) STRICT`);
  } else
    database.exec(
      `CREATE TABLE rows (${COLUMNS}, PRIMARY KEY (row)) STRICT; CREATE TABLE records (${RECORDS}) STRICT`,
    );
  const other = spawn(process.execPath, [import.meta.filename, 'writer', ledgerPath], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let waits = '';
  other.stdout.on('data', (data) => (waits += data));
  await new Promise((resolve) => other.stdout.once('data', resolve));
  const results = {};
  const time = async (what, work) => {
    const began = performance.now();
    await work();
    results[what] = `${Math.round(performance.now() - began)} ms`;
  };
  const values = (list) => Array(20).fill(`(${list})`).join(', ');
  const stagedBase = layout === 'shared' ? base : 0;
  const intoRows = staged.prepare(
    `INSERT INTO rows (row, state, code) VALUES ${values("?, 'pending', ?")}`,
  );
  const intoRecords = staged.prepare(
    `INSERT INTO records (row, line, body) VALUES ${values('?, ?, ?')}`,
  );
  await time('stage', async () => {
    staged.exec('PRAGMA synchronous = NORMAL');
    for (let from = 0; from < rows; from += 2_000) {
      staged.exec('BEGIN IMMEDIATE');
      for (let row = from; row < from + 2_000; row += 20) {
        const lot = Array.from({ length: 20 }, (_, at) => stagedBase + row + at + 1);
        intoRows.run(...lot.flatMap((one) => [one, `AR-${one}`]));
        intoRecords.run(
          ...lot.flatMap((one) => [
            one,
            one,
            `{"code":"AR-${one}","name":"Row ${one}, of some length","unitOfMeasure":"EA"}`,
          ]),
        );
      }
      staged.exec('COMMIT');
      await pause();
    }
    staged.exec('PRAGMA synchronous = FULL');
  });
  if (layout === 'split') {
    await time('enter', async () => {
      staged.close();
      database.exec(`ATTACH '${runPath}' AS staged`);
      const move = database.prepare(
        `INSERT INTO rows SELECT ${base} + row, state, code, name, id, status, reason, sent_at, tries, looked_up, fingerprint FROM staged.rows WHERE row > ? AND row <= ?`,
      );
      database.exec('PRAGMA synchronous = NORMAL');
      for (let from = 0; from < rows; from += 5_000) {
        database.exec('BEGIN');
        move.run(from, from + 5_000);
        database.exec('COMMIT');
        await pause();
      }
      database.exec('DETACH staged; PRAGMA synchronous = FULL');
    });
  }
  const intend = database.prepare(
    `UPDATE rows SET state = 'sent', sent_at = ? WHERE row > ? AND row <= ? AND state = 'pending'`,
  );
  const create = database.prepare(
    `UPDATE rows SET state = 'created', id = made.value ->> 1 FROM json_each(?) AS made WHERE rows.row = made.value ->> 0 AND rows.state = 'sent'`,
  );
  const log = openSync(`${mainPath}-wal`, 'r+');
  await time('send', async () => {
    for (let row = 0; row < sent; row += 256) {
      database.exec('PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE');
      if (row > 0)
        create.run(
          JSON.stringify(
            Array.from({ length: 256 }, (_, at) => [base + row - 256 + at + 1, `itm-${row + at}`]),
          ),
        );
      intend.run(1, base + row, base + row + 256);
      database.exec('COMMIT; PRAGMA synchronous = FULL');
      await new Promise((resolve) => fdatasync(log, resolve));
    }
  });
  await time('discard', async () => {
    if (!isShared) return rmSync(runPath);
    const remove = [database.prepare('DELETE FROM rows WHERE row > ? AND row <= ?')];
    if (layout === 'shared')
      remove.push(database.prepare('DELETE FROM records WHERE row > ? AND row <= ?'));
    for (let from = 0; from < rows; from += 5_000) {
      database.exec('PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE');
      for (const one of remove) one.run(base + from, base + from + 5_000);
      database.exec('COMMIT');
      await pause();
    }
    database.exec('PRAGMA synchronous = FULL');
    if (layout === 'split') rmSync(runPath);
  });
  other.kill('SIGTERM');
  await new Promise((resolve) => other.once('exit', resolve));
  const { p50, p99, max } = JSON.parse(waits);
  results['single write'] = `p50 ${p50.toFixed(1)} p99 ${p99.toFixed(0)} max ${max.toFixed(0)} ms`;
  results.size = `${Math.round(statSync(ledgerPath).size / 2 ** 20)} MB ledger`;
  database.close();
  return results;
}
