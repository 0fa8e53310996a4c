// Runs a short import and single writes on a disk that fails. In run 1 the first call that changes
// a file fails, in run 2 the second, and so on, with EIO and with ENOSPC.
// Checks after each run: one clear error, the right exit code, and no row lost or duplicated after
// resuming. Needs strace (Linux).
//   tsx bench/disk.ts [EVERY_NTH [CALL [WORK]]]
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import {
  CALLS,
  callsOnFiles,
  ERRORS,
  hasStrace,
  WORKS,
  withFault,
} from '../test/e2e/failing-disk.ts';

const BINARY = resolve(import.meta.dirname, '../bin/proc.js');
const EVERY = Number(process.argv[2] ?? 1);
const [, , , ONLY, WORK] = process.argv;

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
/** The nth call of one run may be up to this many calls earlier or later in the next run. */
const NEAR = 5;

/** Numbers of the `openat` calls that may open a file for writing; most others only read. */
async function writingOpens(
  work: (typeof WORKS)[number],
  service: Parameters<typeof withFault>[1],
) {
  const calls = await callsOnFiles({ work, call: 'openat' }, service, BINARY, folder);
  const counts = calls.map(({ nth }) => nth);
  const from = Math.max(1, Math.min(...counts) - NEAR);
  return Array.from({ length: Math.max(...counts) + NEAR - from }, (_, at) => from + at);
}

let wrong = 0;
const ends = new Map<string, number>();
try {
  const line = await new Promise<string>((done) =>
    createInterface({ input: child.stdout }).once('line', done),
  );
  const { url, key } = JSON.parse(line);
  const service = { url, key, db };
  for (const work of WORKS.filter((one) => WORK === undefined || one === WORK)) {
    for (const call of CALLS.filter((one) => ONLY === undefined || one === ONLY)) {
      const only = call === 'openat' ? await writingOpens(work, service) : undefined;
      for (const error of ERRORS) {
        const exits = new Map<string, number>();
        let count = 0;
        let others = 0;
        for (let at = 0; only === undefined || at < only.length; at += EVERY) {
          const nth = only?.[at] ?? at + 1;
          const outcome = await withFault({ work, call, error, nth }, service, BINARY, folder);
          const { target } = outcome;
          if (target === undefined && only === undefined) break;
          if (target === undefined) continue;
          const exit = `exit ${outcome.first.exitCode}`;
          if (target === 'other') others++;
          else {
            count++;
            exits.set(exit, (exits.get(exit) ?? 0) + 1);
            const end = `${work}: ${call} ${target}: ${exit}`;
            ends.set(end, (ends.get(end) ?? 0) + 1);
          }
          for (const one of outcome.wrong) {
            wrong++;
            console.log(`WRONG ${work}, ${call} ${error} ${nth}: ${one}\n  ${outcome.failed}`);
          }
        }
        const each = [...exits].sort().map(([exit, times]) => `${exit}: ${times}`);
        const besides = others === 0 ? '' : `; and ${others} that are no files`;
        console.log(`${work}, ${call} ${error}: ${count} failures; ${each.join(', ')}${besides}`);
      }
    }
  }
} finally {
  child.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}
for (const [end, times] of [...ends].sort()) console.log(`  ${end} (${times})`);
console.log(wrong === 0 ? 'as it should be' : `${wrong} WRONG`);
process.exitCode = wrong === 0 ? 0 : 1;
