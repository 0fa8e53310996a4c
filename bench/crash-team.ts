// Several machines share a ledger in PostgreSQL and import at once, while proc and PostgreSQL are killed and
// connections are cut at random moments. Then cuts a connection at each step of an import. Compares the tables of the
// ledger with the database of the service.
//
//   npm run build && npx tsx bench/crash-team.ts [faults per run, 20; 0: only cuts] [rows per file, 4000] [seed …, 1]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { NINE_PERCENT } from '../test/e2e/import-ledger.ts';
import { crashTeam, cutEverywhere, type TeamOptions } from '../test/e2e/team-crash.ts';
import { startPostgres } from '../test/support/postgres.ts';

const binary = resolve(import.meta.dirname, '../bin/proc.js');
const [faults = 20, rows = 4_000, ...given] = process.argv.slice(2).map(Number);
const SEEDS = given.length === 0 ? [1] : given;

const SHAPES: Readonly<
  Record<string, Pick<TeamOptions, 'noun' | 'machines' | 'isStateless' | 'isOverlapping'>>
> = {
  'one machine': { noun: 'items', machines: 1, isStateless: false, isOverlapping: false },
  'two machines, overlapping files': {
    ...{ noun: 'items', machines: 2, isStateless: false, isOverlapping: true },
  },
  'four machines, overlapping files': {
    ...{ noun: 'items', machines: 4, isStateless: false, isOverlapping: true },
  },
  'three stateless runners, one file': {
    ...{ noun: 'items', machines: 3, isStateless: true, isOverlapping: false },
  },
  'three stateless runners, imputations': {
    ...{ noun: 'imputations', machines: 3, isStateless: true, isOverlapping: false },
  },
};

await using cluster = await startPostgres();
let isGood = true;

async function inFolder(
  name: string,
  work: (folder: string) => Promise<Record<'lost' | 'doubled' | 'wrong', number>>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'proc-crash-team-'));
  try {
    const found = await work(folder);
    console.log(`${name}: ${JSON.stringify(found)}`);
    isGood &&= found.lost + found.doubled + found.wrong === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const seed of faults > 0 ? SEEDS : []) {
  for (const [name, shape] of Object.entries(SHAPES)) {
    const run = { binary, cluster, rows, faults, seed, serviceFaults: NINE_PERCENT, ...shape };
    await inFolder(`${name}, seed ${seed}`, (folder) => crashTeam({ ...run, folder }));
  }
}
const sides = ['client', 'server'] as const;
await Promise.all(
  sides.map((side) =>
    inFolder(`a cut at each piece from the ${side}`, (folder) =>
      cutEverywhere({ binary, folder, cluster, side, rows: 40 }),
    ),
  ),
);
console.log(isGood ? 'passed' : 'FAILED');
process.exitCode = isGood ? 0 : 1;
