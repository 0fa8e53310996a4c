// npm run bench:completion: how long Tab waits for proc, compared with bare Node.
// Exits 1 if the limit in bench/README.md is missed.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { paired } from './paired.mjs';

const BAR = 1.6;
const LINES = [
  '',
  'orders ',
  'orders list --',
  '-p ',
  'orders get ',
  'addresses get ',
  'requisition item list ',
  'history show ',
  'imports show ',
];
const bin = resolve(import.meta.dirname, '..', 'bin', 'proc.js');
const home = mkdtempSync(join(tmpdir(), 'proc-bench-'));
const state = join(home, 'state');
const env = {
  PATH: process.env.PATH,
  HOME: home,
  PROC_CONFIG_DIR: join(home, 'config'),
  PROC_STATE_DIR: state,
};
const runs = Number(process.argv[2] ?? 40);

try {
  fill();
  console.log('words and Tab               ratio (quartiles)      ms against ms   budget');
  for (const line of LINES) {
    const subject = [bin, '__complete', 'fish', ...line.split(' ')];
    const answer = execFileSync(process.execPath, subject, { env }).toString();
    if (answer.split('\n').length < 4) throw new Error(`no completions for "${line}"`);
    const { ratio, low, high, subjectMs, referenceMs } = paired({
      subject,
      reference: ['-e', '0'],
      env,
      runs,
    });
    const verdict = ratio <= BAR ? `≤ ${BAR} met` : `≤ ${BAR} MISSED`;
    const figures = `${ratio.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`.padEnd(24);
    console.log(
      `${line.padEnd(27)} ${figures}${subjectMs.toFixed(0).padStart(4)} against ${referenceMs.toFixed(0).padStart(3)}   ${verdict}`,
    );
    if (ratio > BAR) process.exitCode = 1;
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** A state folder after a year of work: 50 profiles, 10,000 writes, 200 ids of each noun. */
function fill() {
  mkdirSync(env.PROC_CONFIG_DIR);
  mkdirSync(state);
  const environments = { local: { baseUrl: 'http://127.0.0.1:4010/api/v1' } };
  const profiles = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [`org-${index}`, { environments }]),
  );
  writeFileSync(
    join(env.PROC_CONFIG_DIR, 'config.json'),
    JSON.stringify({ profile: 'org-0', profiles }),
  );
  const service = 'http://127.0.0.1:4010/api/v1';
  const seen = Array.from({ length: 200 }, (_, index) => [
    `PO-${index}`,
    'An order with a title of its own',
  ]);
  writeFileSync(
    join(state, 'seen.json'),
    JSON.stringify({ [`${service} org-0`]: { orders: seen, items: seen, sectors: seen } }),
  );
  mkdirSync(join(state, 'imports'));
  for (let run = 0; run < 100; run++)
    writeFileSync(join(state, 'imports', `20260101-0000${run % 60}-${1000 + run}.db`), '');
  const history = new DatabaseSync(join(state, 'ledger.db'));
  history.exec(
    'PRAGMA journal_mode = WAL; CREATE TABLE entries (seq INTEGER PRIMARY KEY, id TEXT, what TEXT, endpoint TEXT, service TEXT, organization TEXT, created TEXT, state TEXT, response TEXT, method TEXT, path TEXT, before TEXT)',
  );
  history.exec('BEGIN');
  const insert = history.prepare(
    'INSERT INTO entries (id, what, endpoint, service, organization, created, state) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  for (let entry = 0; entry < 10_000; entry++) {
    insert.run(
      `h-${entry}`,
      'create something',
      'requisitions.create',
      service,
      'org-0',
      `req-${entry}`,
      'done',
    );
  }
  history.exec('COMMIT');
  history.close();
  const book = new DatabaseSync(join(state, 'addresses.db'));
  book.exec(
    'PRAGMA journal_mode = WAL; CREATE TABLE known (service TEXT, organization TEXT, id TEXT, formattedAddress TEXT, city TEXT, country TEXT, seenAt INTEGER); CREATE TABLE aliases (service TEXT, organization TEXT, alias TEXT, id TEXT)',
  );
  for (let alias = 0; alias < 200; alias++)
    book.exec(
      `INSERT INTO aliases VALUES ('${service}', 'org-0', 'plant-${alias}', 'adr-${alias}')`,
    );
  book.close();
}
