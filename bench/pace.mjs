// Imports into a service that allows 200 requests per second. The import must reach 90 % of this
// rate, and the service may refuse at most 0.5 % of the requests.
//   npm run build && node bench/pace.mjs [ROWS]
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const RATE = 200;
const rows = Number(process.argv[2] ?? 2_000);
const binary = resolve(import.meta.dirname, '../bin/proc.js');
const folder = mkdtempSync(join(tmpdir(), 'proc-pace-'));
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  PROC_STATE_DIR: folder,
  PROC_CONFIG_DIR: folder,
};
const file = join(folder, 'rows.csv');
writeFileSync(
  file,
  `code,name\n${Array.from({ length: rows }, (_, n) => `P-${n},Row\n`).join('')}`,
);

const start = ['sandbox', 'start', '--port', '0', '--empty', '--faults', `rate=${RATE}/s`];
const sandbox = spawn(process.execPath, [binary, ...start], { env, stdio: 'pipe' });
let refused = 0;
createInterface({ input: sandbox.stderr }).on('line', (line) => {
  if (/^POST .* 429 /.test(line)) refused++;
});
const [first] = await new Promise((done) =>
  createInterface({ input: sandbox.stdout }).once('line', (line) => done([line])),
);
const { url, key } = JSON.parse(first);
const target = { ...env, PROC_BASE_URL: url, PROC_API_KEY: key };
const running = spawn(process.execPath, [binary, 'items', 'import', file, '--yes'], {
  env: target,
  stdio: ['ignore', 'pipe', 'inherit'],
});
let output = '';
running.stdout.on('data', (text) => {
  output += text;
});
await new Promise((done) => running.once('close', done));
sandbox.kill();
await new Promise((done) => sandbox.once('close', done));
rmSync(folder, { recursive: true, force: true });
const { created, seconds } = JSON.parse(output);
const share = (100 * created) / seconds / RATE;
const refusedShare = (100 * refused) / (created + refused);
console.log(
  `${created} rows in ${seconds} s: ${share.toFixed(0)} % of ${RATE}/s (bar 90), ${refusedShare.toFixed(1)} % refused (bar 0.5)`,
);
process.exitCode = share >= 90 && refusedShare <= 0.5 ? 0 : 1;
