// A disk that fails: every write, sync, truncate and rename of a short import and of a single write fails
// once with EIO and once with ENOSPC, one after the other, until a run makes no more such calls. Counted
// by SQL in the service's own database: no row is lost or duplicated. Each failure gives one clear error, no
// stack trace and a documented exit code, and resuming afterwards completes the work. Needs strace (Linux).
//   npm run bench:disk [-- EVERY_NTH [CALL]]
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { CALLS, ERRORS, hasStrace, withFault } from '../test/e2e/failing-disk.ts';

const BINARY = resolve(import.meta.dirname, '../bin/proc.js');
const EVERY = Number(process.argv[2] ?? 1);
const [, , , ONLY] = process.argv;

if (!hasStrace) {
  console.log('SKIPPED: strace is missing');
  process.exit(0);
}
const folder = mkdtempSync(join(tmpdir(), 'proc-disk-'));
const db = join(folder, 'service.db');
const env = { PATH: process.env.PATH, HOME: folder, PROC_STATE_DIR: join(folder, 'service') };
const sandbox = ['sandbox', 'start', '--port', '0', '--db', db, '--empty', '--quiet'];
const child = spawn(process.execPath, [BINARY, ...sandbox], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
let wrong = 0;
try {
  const line = await new Promise<string>((done) =>
    createInterface({ input: child.stdout }).once('line', done),
  );
  const { url, key } = JSON.parse(line);
  for (const work of ['create', 'import'] as const) {
    for (const call of CALLS.filter((one) => ONLY === undefined || one === ONLY)) {
      for (const error of ERRORS) {
        const exits = new Map<number | null, number>();
        let count = 0;
        for (let nth = 1; ; nth += EVERY) {
          const fault = { work, call, error, nth };
          const outcome = await withFault(fault, { url, key, db }, BINARY, folder);
          if (!outcome.isHit) break;
          count++;
          const { exitCode } = outcome.first;
          exits.set(exitCode, (exits.get(exitCode) ?? 0) + 1);
          for (const one of outcome.wrong) {
            wrong++;
            console.log(`WRONG ${work} ${call} ${error} ${nth}: ${one}\n  ${outcome.failed}`);
          }
        }
        const ends = [...exits].sort().map(([code, times]) => `exit ${code}: ${times}`);
        console.log(`${work}, ${call} ${error}: ${count} failures; ${ends.join(', ')}`);
      }
    }
  }
} finally {
  child.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}
console.log(wrong === 0 ? 'as it should be' : `${wrong} WRONG`);
process.exitCode = wrong === 0 ? 0 : 1;
