// The crash ledger for what cannot be listed: imports with ~9 % faults that are killed at random, then
// resumed to their end. Counted by SQL in the service's own database: no row twice, none that the
// journal calls created is missing, and those it does not know of are there once or not at all.
//   npm run bench:unlisted [-- ROWS KILLS SEED]
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStage } from './stage.ts';

const [ROWS = 20_000, KILLS = 30, SEED = 7] = process.argv.slice(2).map(Number);
const FAULTS = `reset-after=2%,reset-before=2%,429=2%,503=1%,truncate=1%,html=1%,late-commit=100ms,latency=4ms,seed=${SEED}`;
const PACE = ['--patience', '2m', '--timeout', '10s'];

const body = {
  imputations: (n: number) => ({ reference: `R-${n}`, amount: n + 0.5, currency: 'USD' }),
  requisition: (n: number) => ({
    title: `R-${n}`,
    groups: [{ deliveryMethod: 'pickup', items: [{ quantity: 1, item: { name: 'Bolt' } }] }],
  }),
};
const table = {
  imputations: 'SELECT reference AS name, id FROM imputations',
  requisition: 'SELECT title AS name, id FROM requisitions',
};

for (const noun of ['imputations', 'requisition'] as const) {
  await using stage = await openStage(['--faults', FAULTS]);
  const rows = [...Array(ROWS).keys()].map((n) => `${JSON.stringify(body[noun](n))}\n`);
  writeFileSync(join(stage.folder, 'a.ndjson'), rows.join(''));
  const journals = join(stage.folder, 'state', 'imports');
  let random = SEED;
  const chance = () => {
    random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
    return random / 2_147_483_648;
  };
  let kills = 0;
  let exitCode: number | null = null;
  for (;;) {
    const isBegun = (() => {
      try {
        return readdirSync(journals).some((name) => name.endsWith('.db'));
      } catch {
        return false;
      }
    })();
    const child = stage.start(
      isBegun
        ? ['imports', 'resume', '--yes', ...PACE]
        : [noun, 'import', 'a.ndjson', '--yes', ...PACE],
    );
    child.stdout!.resume();
    child.stderr!.resume();
    const ended = new Promise<number | null>((done) => child.once('exit', done));
    let timer: NodeJS.Timeout | undefined;
    if (kills < KILLS) timer = setTimeout(() => child.kill('SIGKILL'), 250 + chance() * 500);
    const code = await ended;
    clearTimeout(timer);
    if (code !== null) {
      exitCode = code;
      break;
    }
    kills++;
  }
  const file = readdirSync(journals).find((name) => name.endsWith('.db'))!;
  const journal = new DatabaseSync(join(journals, file), { readOnly: true });
  const told = journal.prepare('SELECT row, state, id FROM rows ORDER BY row').all() as {
    row: number;
    state: string;
    id: string | null;
  }[];
  journal.close();
  const stored = new Map<string, string[]>();
  for (const { name, id } of stage.sql(table[noun])) {
    stored.set(String(name), [...(stored.get(String(name)) ?? []), String(id)]);
  }
  const states: Record<string, number> = {};
  let doubled = 0;
  let lost = 0;
  let unknownThere = 0;
  for (const { row, state, id } of told) {
    states[state] = (states[state] ?? 0) + 1;
    const ids = stored.get(`R-${row - 1}`) ?? [];
    if (ids.length > 1) doubled++;
    if (state === 'created' && !ids.includes(id!)) lost++;
    if (state === 'unknown' && ids.length === 1) unknownThere++;
    if (!['created', 'unknown'].includes(state)) lost++;
  }
  console.log(
    JSON.stringify({
      noun,
      rows: told.length,
      kills,
      exitCode,
      states,
      unknownThere,
      doubled,
      lost,
    }),
  );
  if (doubled + lost > 0 || told.length !== ROWS) process.exitCode = 1;
}
