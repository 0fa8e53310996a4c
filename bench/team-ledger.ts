// The rate of an import with the ledger in PostgreSQL, against the ledger in SQLite: each import has a sandbox of its
// own, and the order changes from round to round. A proxy makes the answers of PostgreSQL later.
//   npm run bench:team-ledger [-- ROWS, 60000 [ROUNDS, 9 [LATENCY in ms …, 0]]]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cutter, startPostgres } from '../test/support/postgres.ts';
import { runProc, withService } from './service.ts';

const [rows = 60_000, rounds = 9, ...given] = process.argv.slice(2).map(Number);
const LATENCIES = given.length === 0 ? [0] : given;

await using cluster = await startPostgres();

/** @returns rows per second */
async function importing(env: NodeJS.ProcessEnv): Promise<number> {
  return await withService(async (service) => {
    const file = join(service.folder, 'items.csv');
    const lines = Array.from({ length: rows }, (_, at) => `Part ${at},P-${at}`);
    writeFileSync(file, `name,code\n${lines.join('\n')}\n`);
    const { seconds } = await runProc(['items', 'import', file, '--yes'], service, env);
    return rows / seconds;
  });
}

async function shared(ms: number): Promise<number> {
  await using proxy = await cutter(await cluster.database(), ms);
  return await importing({ PROC_LEDGER: proxy.url, PROC_LEDGER_LOOPBACK: '1' });
}

const kinds = [undefined, ...LATENCIES];
const found = new Map(kinds.map((ms) => [ms, [] as number[]]));
for (let round = 0; round < rounds; round++) {
  for (let nth = 0; nth < kinds.length; nth++) {
    const ms = kinds[(round + nth) % kinds.length];
    found.get(ms)!.push(ms === undefined ? await importing({}) : await shared(ms));
  }
}

/** Quartiles. */
function spread(values: readonly number[], digits: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.round((sorted.length - 1) * part)]!.toFixed(digits);
  return `${at(0.5)} (${at(0.25)} to ${at(0.75)})`;
}

const local = found.get(undefined)!;
console.log('| ledger | rows/s | of the rate with SQLite |\n|-|-|-|');
for (const [ms, rates] of found) {
  const name = ms === undefined ? 'SQLite' : `PostgreSQL, answers ${ms} ms later`;
  const ratios = rates.map((rate, round) => rate / local[round]!);
  console.log(`| ${name} | ${spread(rates, 0)} | ${spread(ratios, 2)} |`);
}
