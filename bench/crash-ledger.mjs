// Kills an import again and again, then lets the last run finish. Counts lost and duplicated rows
// in the database of the service. Programs that are broken on purpose (`MUTANTS`) must fail this
// test.
//
//   npm run build && node bench/crash-ledger.mjs [kills per seed, 70] [rows per seed, 17000] [seed …, 1 2 3]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { crashLedger, MUTANTS, mutate, NINE_PERCENT } from '../test/e2e/import-ledger.ts';

/**
 * `PROC_UNDER_TEST` names another artefact to test. The broken programs are always copies of the
 * built one.
 */
const built = resolve(import.meta.dirname, '../bin/proc.js');
const binary = process.env.PROC_UNDER_TEST || built;
const [kills = 70, rows = 17_000, ...given] = process.argv.slice(2).map(Number);
const SEEDS = given.length === 0 ? [1, 2, 3] : given;

const folder = mkdtempSync(join(tmpdir(), 'proc-crash-'));
let isGood = true;
try {
  const total = {
    kills: 0,
    serviceKills: 0,
    rows: 0,
    lost: 0,
    doubled: 0,
    misjudged: 0,
    seconds: 0,
  };
  for (const seed of SEEDS) {
    const ledger = await run(binary, { kills, rows, seed, serviceKills: 0.1 });
    console.log(`seed ${seed}: ${textOf(ledger)}`);
    for (const key of Object.keys(total)) total[key] += ledger[key];
    isGood &&= ledger.lost + ledger.doubled + ledger.misjudged === 0 && ledger.exitCode === 0;
  }
  console.log(`all:    ${textOf(total)}`);
  for (const mutant of Object.keys(MUTANTS)) {
    const changed = mutate(built, mkdtempSync(join(folder, 'mutant-')), mutant);
    const ledger = await run(changed, { kills: 10, rows: 3_000, seed: 1 });
    console.log(`control "${mutant}": ${textOf(ledger)}`);
    isGood &&= ledger.doubled + ledger.misjudged > 0;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(isGood ? 'passed' : 'FAILED');
process.exitCode = isGood ? 0 : 1;

function run(program, options) {
  return crashLedger({
    ...options,
    binary: program,
    folder: mkdtempSync(join(folder, 'run-')),
    faults: NINE_PERCENT,
    settle: '1s',
    killWithin: 130,
    // Enough for a busy machine: 20 minutes for 100,000 rows.
    lastRunMs: Math.max(300_000, rows * 12),
  });
}

function textOf({ kills: count, serviceKills, rows: all, lost, doubled, misjudged, seconds }) {
  return `${count} kills (service: ${serviceKills}), ${all} rows: ${lost} lost, ${doubled} doubled, ${misjudged} with a wrong state (${Math.round(seconds)} s)`;
}
