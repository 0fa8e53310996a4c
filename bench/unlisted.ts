// The crash test for nouns without a list: kills imports at random, under about 9 % faults. No row
// may be lost or duplicated, and exactly the unconfirmed rows must be parked. Importing the file
// again must send nothing. Programs that are broken on purpose (`MUTANTS`) must fail this test.
//   npm run bench:unlisted [-- KILLS_PER_SEED ROWS_PER_SEED SEEDS]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  crashLedger,
  type Ledger,
  type LedgerOptions,
  MUTANTS,
  mutate,
  NINE_PERCENT,
} from '../test/e2e/import-ledger.ts';

const BINARY = resolve(import.meta.dirname, '../bin/proc.js');
const [KILLS = 60, ROWS = 20_000, LAST_SEED = 3] = process.argv.slice(2).map(Number);
const SEEDS = [1, 2, 3].slice(0, LAST_SEED);

const folder = mkdtempSync(join(tmpdir(), 'proc-unlisted-'));
let isGood = true;
try {
  for (const noun of ['imputations', 'requisitions'] as const) {
    for (const seed of SEEDS) {
      const ledger = await run(BINARY, { noun, kills: KILLS, rows: ROWS, seed });
      print(`${noun}, seed ${seed}`, ledger);
      const { lost, doubled, misjudged, parked, summary, exitCode } = ledger;
      isGood &&= lost + doubled + misjudged === 0 && summary.unconfirmed === parked;
      isGood &&= summary.created === ROWS - parked && exitCode === (parked > 0 ? 9 : 0);
      isGood &&= ledger.sentAgain === 0 && ledger.cutOff <= 1.2 * ledger.underWay;
    }
    for (const mutant of Object.keys(MUTANTS) as (keyof typeof MUTANTS)[]) {
      const changed = mutate(BINARY, mkdtempSync(join(folder, 'mutant-')), mutant);
      const ledger = await run(changed, { noun, kills: 10, rows: 3_000, seed: 1 });
      print(`${noun}, control "${mutant}"`, ledger);
      isGood &&= ledger.doubled > 0;
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(isGood ? 'passed' : 'FAILED');
process.exitCode = isGood ? 0 : 1;

function run(
  binary: string,
  options: Pick<LedgerOptions, 'noun' | 'kills' | 'rows' | 'seed'>,
): Promise<Ledger> {
  return crashLedger({
    ...options,
    binary,
    folder: mkdtempSync(join(folder, 'run-')),
    faults: NINE_PERCENT,
    settle: '1s',
    killWithin: 130,
  });
}

function print(what: string, ledger: Ledger): void {
  const { kills, rows, lost, doubled, misjudged, parked, parkedThere, sentAgain, seconds } = ledger;
  const { cutOff, underWay } = ledger;
  const each = (n: number) => (n / kills).toFixed(1);
  console.log(
    `${what}: ${kills} kills, ${rows} rows: ${lost} lost, ${doubled} duplicated, ${misjudged} with a wrong state; ${parked} parked, of which ${parkedThere} exist; each kill left ${each(cutOff)} without an outcome, of at most ${each(underWay)} requests in flight; ${sentAgain} sent by a second import (${Math.round(seconds)} s)`,
  );
}
