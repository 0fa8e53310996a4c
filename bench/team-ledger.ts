// The rate of an import with the ledger in PostgreSQL, against the ledger in SQLite, in pairs: each import has a
// sandbox of its own, and the order of the two changes.
//   npm run bench:team-ledger [-- ROWS [ROUNDS]]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '../test/support/postgres.ts';
import { openStage } from './stage.ts';

const ROWS = Number(process.argv[2] ?? 60_000);
const ROUNDS = Number(process.argv[3] ?? 9);

await using cluster = await startPostgres();

/** @returns seconds */
async function importing(env: NodeJS.ProcessEnv): Promise<number> {
  await using stage = await openStage();
  const file = join(stage.folder, 'items.csv');
  const lines = Array.from({ length: ROWS }, (_, at) => `Part ${at},P-${at}`);
  writeFileSync(file, `name,code\n${lines.join('\n')}\n`);
  const ran = await stage.run(['items', 'import', file, '--yes', '-o', 'json'], env);
  if (ran.exitCode !== 0) throw new Error(ran.stderr);
  return ran.seconds;
}

const ratios: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const url = await cluster.database();
  const shared = () => importing({ PROC_LEDGER: url, PROC_LEDGER_LOOPBACK: '1' });
  const first = round % 2 === 0 ? await shared() : undefined;
  const local = await importing({});
  const postgres = first ?? (await shared());
  ratios.push(local / postgres);
  const rate = (seconds: number) => Math.round(ROWS / seconds);
  console.log(JSON.stringify({ postgres: rate(postgres), sqlite: rate(local) }));
}
ratios.sort((a, b) => a - b);
console.log(`median ratio ${ratios[Math.floor(ratios.length / 2)]!.toFixed(2)} (bar: 0.8)`);
