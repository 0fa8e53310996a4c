/**
 * Imports through services whose responses do not match their requests. Compares the reported state
 * of each row with the database of the service.
 *
 *   npm run build && npx tsx bench/out-of-step.ts [rows per run] [seeds per kind] [KIND] [first seed]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { add, type Count, KINDS, none, stepLedger, wrong } from '../test/e2e/step-ledger.ts';

const binary = resolve(import.meta.dirname, '../bin/proc.js');
const folder = mkdtempSync(join(tmpdir(), 'proc-steps-'));
const [rowsText = '20000', seedsText = '7', only = '', firstText = '1'] = process.argv.slice(2);
const rows = Number(rowsText);
const seeds = Number(seedsText);
const first = Number(firstText);
let isGood = true;
try {
  const all = none();
  for (const [name, kind] of Object.entries(KINDS)) {
    if (!name.includes(only)) continue;
    const sum = none();
    for (let seed = first; seed < first + seeds; seed++) {
      add(sum, await stepLedger(kind, { binary, folder, rows, seed }));
    }
    add(all, sum);
    console.log(`${name}: ${textOf(sum)}`);
    for (const story of sum.stories) console.log(`  ${story}`);
    isGood &&= wrong(sum) === 0;
  }
  console.log(`all, ${seeds} seeds of each kind: ${textOf(all)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(isGood ? 'passed' : 'FAILED');
process.exitCode = isGood ? 0 : 1;

function textOf(count: Count): string {
  return `${count.rows} rows, ${count.faults} faults: ${count.doubled} duplicated, ${count.lost} lost, ${count.wrongIds} with a wrong id, ${count.rejectedThoughStored} rejected although stored, ${count.refusedTakenForSuccess} refusals read as success; ${count.parked} unconfirmed (${Math.round(count.seconds)} s)`;
}
