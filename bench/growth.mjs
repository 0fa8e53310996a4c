// What grows with the rows of an import, and with those that the ledger already has.
//
//   npm run build && node bench/growth.mjs rows [most]             memory and disk, up to 1,000,000 rows
//   node bench/growth.mjs commands [past]                          commands beside a ledger of 1,000,000 rows of 200 runs
//   node bench/growth.mjs import [rows] [rounds] [past]            planning and importing beside the same
//   node bench/growth.mjs wait [rows] [past]                       of another process for the ledger, while rows are imported
//   node bench/growth.mjs prune [past]                             the file before and after, and the same wait
import { spawnSync } from 'node:child_process';
import {
  createWriteStream,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { binary, runProc, withService } from './service.ts';

const RUNS = 200;
const PAST = 1_000_000;
const folder = mkdtempSync(join(tmpdir(), 'proc-bench-'));

async function rows(most = 1_000_000) {
  const table = [];
  for (const count of [10_000, 100_000, 1_000_000].filter((n) => n <= most)) {
    for (const kind of ['ndjson', 'json', 'csv']) {
      const path = await fileOf(count, kind);
      const ofFile = statSync(path).size;
      await withService(async (service) => {
        const state = stateFolder();
        let most = 0;
        const look = setInterval(() => {
          most = Math.max(most, sizeOf(state));
        }, 500);
        const args = ['items', 'import', path, '--yes', '--quiet'];
        const { seconds, peakMb, result } = await runProc(args, service, placed(state));
        clearInterval(look);
        if (result.created !== count) throw new Error(JSON.stringify(result));
        table.push({
          rows: count,
          kind,
          seconds: seconds.toFixed(1),
          'peak MB': peakMb.toFixed(0),
          'state ÷ file': (most / ofFile).toFixed(2),
          afterwards: (sizeOf(state) / ofFile).toFixed(2),
        });
      });
      rmSync(path);
    }
  }
  console.table(table);
}

/** Single commands with an empty ledger and with a full one, by turns. */
async function commands(past = PAST) {
  await withService(async (service) => {
    const [empty, full] = await ledgers(service, past);
    let created = 0;
    const create = () => {
      const n = created++;
      return ['items', 'create', '--code', `S-${n}`, '--name', `Single part ${n}`, '--yes'];
    };
    for (const [what, args] of [
      ['imports list', () => ['imports', 'list']],
      ['imports show <Tab>', () => ['__complete', 'fish', 'imports', 'show', '']],
      ['history list', () => ['history', 'list']],
      ['items create', create],
    ]) {
      const pairs = await inPairs(21, empty, full, async (state) => {
        const began = performance.now();
        run(args(), service, state);
        return performance.now() - began;
      });
      console.log(`${what.padEnd(20)} ${ratioOf(pairs)} of an empty ledger (bar 1.2)`);
    }
  });
}

async function imports(count = 60_000, rounds = 5, past = PAST) {
  const path = await fileOf(count, 'ndjson');
  let full;
  await withService(async (service) => {
    const [none, made] = await ledgers(service, past);
    full = made;
    const plans = await inPairs(rounds, none, full, async (state) => {
      return run(['items', 'import', path, '--dry-run'], service, state).cpuS;
    });
    const extra = median(plans.map(([a, b]) => b - a));
    console.log(`planning ${count} rows: ${extra.toFixed(2)} s more CPU (bar 1.5)`);
  });
  const pairs = await inPairs(rounds, undefined, full, (state) =>
    withService(async (service) => {
      const args = ['items', 'import', path, '--yes', '--quiet'];
      const { seconds } = await runProc(args, service, placed(state ?? stateFolder()));
      return seconds;
    }),
  );
  const ratios = pairs.map(([a, b]) => a / b);
  console.log(
    `importing them: rate ${median(ratios).toFixed(2)} of that without a past (bar 0.95)`,
  );
}

async function wait(count = 100_000, past = PAST) {
  const path = await fileOf(count, 'ndjson');
  await withService(async (service) => {
    const [, state] = await ledgers(service, past);
    await waitBeside(state, () =>
      runProc(['items', 'import', path, '--yes', '--quiet'], service, placed(state)),
    );
  });
}

/** Imputations keep their bodies until their runs are pruned. */
async function prune(past = PAST) {
  await withService(async (service) => {
    const [, state] = await ledgers(service, past);
    const database = new DatabaseSync(join(state, 'ledger.db'));
    database.exec(`UPDATE runs SET noun = 'imputations';
      UPDATE rows SET digest = lower(hex(randomblob(32)));
      INSERT INTO bodies (at, body) SELECT at,
        json_object('reference', id, 'account', '6100', 'amount', 12.5, 'currency', 'EUR', 'contractId', key) FROM rows`);
    database.close();
    const before = sizeOf(state);
    const { seconds } = await waitBeside(state, () =>
      runProc(['imports', 'prune', '--before', '2100-01-01', '--yes'], service, placed(state)),
    );
    console.log(`prune: ${mb(before)} → ${mb(sizeOf(state))} MB in ${seconds.toFixed(1)} s`);
  });
}

/** How long the first statement of a single write waits, every 20 ms, by the phase of the last run. */
async function waitBeside(state, work) {
  const waits = {};
  let ended = false;
  const look = async () => {
    const database = new DatabaseSync(join(state, 'ledger.db'), { timeout: 10_000 });
    const last = database.prepare('SELECT phase FROM runs ORDER BY number DESC LIMIT 1');
    while (!ended) {
      const began = performance.now();
      database.exec('BEGIN IMMEDIATE');
      const ms = performance.now() - began;
      const { phase } = last.get();
      waits[phase] ??= [];
      waits[phase].push(ms);
      database.exec('ROLLBACK');
      await sleep(20);
    }
    database.close();
  };
  const looking = look();
  const result = await work();
  ended = true;
  await looking;
  for (const [phase, all] of Object.entries(waits)) {
    const at = (part) => all.toSorted((a, b) => a - b)[Math.floor(all.length * part)].toFixed(1);
    console.log(
      `waiting for the ledger, last run ${phase}, ${all.length} times: median ${at(0.5)} ms, p99 ${at(0.99)} ms (bar 100), at most ${at(0.99999)} ms`,
    );
  }
  return result;
}

/** Two state folders with the same program behind them: nothing, and `past` created items of 200 runs. */
async function ledgers(service, past) {
  const [empty, full] = [stateFolder(), stateFolder()];
  // The second file has one item that the service does not have yet: a run without any leaves nothing.
  for (const [index, state] of [empty, full].entries())
    run(['items', 'import', await fileOf(index + 1, 'csv'), '--yes', '--quiet'], service, state);
  const database = new DatabaseSync(join(full, 'ledger.db'));
  database.exec(`BEGIN;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${RUNS - 1})
      INSERT INTO runs (name, noun, place, phase, generation, header, counts, findings, planned, last_intent, begun_at, finished_at)
      SELECT name || '-' || i, noun, place, phase, generation, replace(header, name, name || '-' || i), counts, findings,
        planned, last_intent, begun_at - i * 86400000, finished_at - i * 86400000 FROM runs CROSS JOIN n;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${Math.ceil(past / RUNS)})
      INSERT INTO rows (at, state, key, id, intent, sent_at, code)
      SELECT (r.number << 32) + 10 + i, 'created', 'old-' || r.number || '-' || i, 'itm-old-' || r.number || '-' || i,
        r.last_intent, r.begun_at, 'OLD-' || r.number || '-' || i FROM runs r CROSS JOIN n;
    COMMIT`);
  const { n } = database.prepare('SELECT count(*) AS n FROM rows').get();
  if (n < past) throw new Error(`the ledger has ${n} rows`);
  database.close();
  return [empty, full];
}

/** @returns the figure of the first and of the second state, a pair a round, the order alternating */
async function inPairs(rounds, one, other, measure) {
  const pairs = [];
  for (let round = 0; round < rounds; round++) {
    const [first, second] = round % 2 === 0 ? [one, other] : [other, one];
    const a = await measure(first);
    const b = await measure(second);
    pairs.push(round % 2 === 0 ? [a, b] : [b, a]);
  }
  return pairs;
}

function ratioOf(pairs) {
  return `${median(pairs.map(([a, b]) => b / a)).toFixed(2)} ×`;
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

function stateFolder() {
  return mkdtempSync(join(folder, 'state-'));
}

function placed(state) {
  return { PROC_STATE_DIR: state, PROC_CONFIG_DIR: `${state}-config` };
}

/** Runs proc to its end, which must be 0. */
function run(args, { url, key }, state) {
  const env = {
    PATH: process.env.PATH,
    HOME: state,
    XDG_CACHE_HOME: join(tmpdir(), 'proc-bench-cache'),
    PROC_BASE_URL: url,
    PROC_API_KEY: key,
    ...placed(state),
  };
  const before = cpuOfChildren();
  const { status, stderr } = spawnSync(process.execPath, [binary, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return { cpuS: cpuOfChildren() - before };
}

/** In seconds, of children that have ended: the kernel counts it in ticks of 10 ms. */
function cpuOfChildren() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

async function fileOf(count, kind) {
  const path = join(folder, `rows-${count}.${kind}`);
  const out = createWriteStream(path);
  if (kind === 'csv') out.write('code,name,description,unitOfMeasure,brand,type\n');
  if (kind === 'json') out.write('[');
  for (let n = 0; n < count; n += 1000) {
    let lines = '';
    for (let at = n; at < Math.min(count, n + 1000); at++) {
      const row = {
        code: `BN-${String((at * 7919) % 10_000_019).padStart(8, '0')}`,
        name: `Part number ${at}, steel`,
        description: `A part that is described in a sentence of usual length, number ${at}`,
        unitOfMeasure: 'EA',
        brand: 'Contoso',
        type: 'Components',
      };
      lines +=
        kind === 'csv'
          ? `${Object.values(row)
              .map((cell) => `"${cell}"`)
              .join(',')}\n`
          : `${kind === 'json' && at > 0 ? ',' : ''}${JSON.stringify(row)}\n`;
    }
    if (!out.write(lines)) await new Promise((done) => out.once('drain', done));
  }
  await finished(out.end(kind === 'json' ? ']\n' : ''));
  return path;
}

/** Of a folder, in bytes. */
function sizeOf(path) {
  return readdirSync(path, { recursive: true })
    .map((name) => statSync(join(path, name), { throwIfNoEntry: false }))
    .reduce((sum, found) => sum + (found?.isFile() ? found.size : 0), 0);
}

function mb(bytes) {
  return (bytes / 2 ** 20).toFixed(0);
}

const [what = 'rows', ...counts] = process.argv.slice(2);
try {
  await { rows, commands, import: imports, wait, prune }[what](...counts.map(Number));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
