// Kills an import again and again, then lets the last run finish. Compares what proc says about each row with the
// database of the service. Programs that are broken on purpose (`MUTANTS`) must fail this test.
//
//   npm run build && node bench/crash-ledger.mjs [--noun items|imputations|requisitions] [--kills 70] [--rows 17000]
//     [--seeds 1,2,3] [--no-controls]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { crashLedger, MUTANTS, mutate, NINE_PERCENT } from '../test/e2e/import-ledger.ts';

/**
 * `PROC_UNDER_TEST` names another artefact to test. The broken programs are always copies of the
 * built one.
 */
const built = resolve(import.meta.dirname, '../bin/proc.js');
const binary = process.env.PROC_UNDER_TEST || built;
const { values } = parseArgs({
  options: {
    noun: { type: 'string', default: 'items' },
    kills: { type: 'string', default: '70' },
    rows: { type: 'string', default: '17000' },
    seeds: { type: 'string', default: '1,2,3' },
    controls: { type: 'boolean', default: true },
  },
  allowNegative: true,
});
const { noun } = values;
const kills = Number(values.kills);
const rows = Number(values.rows);
/** No list shows them, so a row whose answer is lost stays unconfirmed. */
const isListed = noun === 'items';

const folder = mkdtempSync(join(tmpdir(), 'proc-crash-'));
let isGood = true;
try {
  for (const seed of values.seeds.split(',').map(Number)) {
    const ledger = await run(binary, { kills, rows, seed, serviceKills: isListed ? 0.1 : 0 });
    console.log(`${noun}, seed ${seed}: ${textOf(ledger)}`);
    isGood &&= ledger.lost + ledger.doubled + ledger.misjudged === 0;
    isGood &&= ledger.exitCode === (ledger.parked > 0 ? 9 : 0) && ledger.sentAgain === 0;
    isGood &&= isListed || isTold(ledger);
  }
  for (const mutant of values.controls ? Object.keys(MUTANTS) : []) {
    const changed = mutate(built, mkdtempSync(join(folder, 'mutant-')), mutant);
    const ledger = await run(changed, { noun: 'requisitions', kills: 10, rows: 2_000, seed: 1 });
    console.log(`requisitions, control "${mutant}": ${textOf(ledger)}`);
    isGood &&= ledger.doubled + ledger.misjudged > 0;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(isGood ? 'passed' : 'FAILED');
process.exitCode = isGood ? 0 : 1;

/** Every row is created or unconfirmed, and a kill leaves no more rows unconfirmed than were on their way. */
function isTold({ summary, parked, cutOff, underWay }) {
  const { created, sentBefore, unconfirmed } = summary;
  return unconfirmed === parked && created + sentBefore === rows - parked && cutOff <= underWay;
}

function run(program, options) {
  return crashLedger({
    noun,
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

function textOf(ledger) {
  const { kills: count, serviceKills, lost, doubled, misjudged, seconds } = ledger;
  const { parked, parkedThere, sentAgain, cutOff, underWay } = ledger;
  const open = isListed
    ? ''
    : `; ${parked} unconfirmed, of which ${parkedThere} exist; ${cutOff} by kills, of at most ${underWay} under way; ${sentAgain} sent by a second import`;
  return `${count} kills (service: ${serviceKills}), ${ledger.rows} rows: ${lost} lost, ${doubled} created twice, ${misjudged} with a wrong state${open} (${Math.round(seconds)} s)`;
}
