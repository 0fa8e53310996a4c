// The rate of an import, compared with a bare undici loop and with scripts of curl.
//
//   npm run build && node bench/import.mjs rate [rows] [rounds]     proc and the bare loop, in pairs
//   node bench/import.mjs postgres [rows] [rounds] [late ms …]      a ledger in PostgreSQL and one in SQLite, in pairs
//   node bench/import.mjs today [rows]                              xargs curl and curl --parallel, killed and continued
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { cutter, startPostgres } from '../test/support/postgres.ts';
import { binary, runProc, withService } from './service.ts';

/** The highest concurrency that proc chooses without PROC_CONCURRENCY. */
const CONCURRENCY = 64;
const folder = mkdtempSync(join(tmpdir(), 'proc-bench-'));

/** Typical rows of 200 bytes. */
function rowsFile(count) {
  const path = join(folder, `rows-${count}.ndjson`);
  const rows = Array.from({ length: count }, (_, n) => JSON.stringify(rowOf(n)));
  writeFileSync(path, `${rows.join('\n')}\n`);
  return path;
}

function rowOf(n) {
  return {
    code: `BN-${String((n * 7919) % 10_000_019).padStart(8, '0')}`,
    name: `Part number ${n}, steel`,
    description: `A part that is described in a sentence of usual length, number ${n}`,
    unitOfMeasure: 'EA',
    brand: 'Contoso',
    type: 'Components',
  };
}

function bareLoop({ url, key }, file) {
  const script = resolve(import.meta.dirname, 'bare-loop.mjs');
  return timed(process.execPath, [script, url, key, file, String(CONCURRENCY)]);
}

function timed(command, args) {
  const began = performance.now();
  return new Promise((done, fail) => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    child.once('error', fail);
    child.once('close', (code) => {
      if (code === 0 || command === 'bash') done((performance.now() - began) / 1000);
      else fail(new Error(`${command} ended with ${code}`));
    });
  });
}

/** proc proves at the end, by the list, that all rows are there: `backS` is the time after the last row was stored. */
async function procAlone(file, rows) {
  return withService(async (service) => {
    const stored = new DatabaseSync(service.db, { readOnly: true });
    const last = stored.prepare('SELECT max(rowid) AS row FROM items');
    let storedAt = Number.NaN;
    const look = setInterval(() => {
      if (last.get().row < rows) storedAt = performance.now();
    }, 50);
    const ran = await runProc(['items', 'import', file, '--yes'], service);
    clearInterval(look);
    stored.close();
    return { ...ran, backS: (performance.now() - storedAt) / 1000 };
  });
}

async function rate(rows = 60_000, rounds = 5) {
  const file = rowsFile(rows);
  const [ratios, withoutBack] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const bare = () => withService((service) => bareLoop(service, file));
    const proc = () => procAlone(file, rows);
    // The order alternates, so that changes in the speed of the machine affect both equally.
    const first = round % 2 === 0;
    const a = first ? await bare() : await proc();
    const b = first ? await proc() : await bare();
    const bareS = first ? a : b;
    const { seconds, result, backS } = first ? b : a;
    if (result.created !== rows) throw new Error(JSON.stringify(result));
    ratios.push(bareS / seconds);
    withoutBack.push(bareS / (seconds - backS));
    console.log(
      `  bare undici loop ${(rows / bareS).toFixed(0)}/s · proc ${(rows / seconds).toFixed(0)}/s (whole command) · ratio ${(bareS / seconds).toFixed(2)} · reading back ${((100 * backS) / seconds).toFixed(0)} %`,
    );
  }
  console.log(
    `rate: ${rows} rows, ${CONCURRENCY} concurrent, median ratio ${medianOf(ratios).toFixed(2)} (bar 0.80), without the reading back ${medianOf(withoutBack).toFixed(2)}`,
  );
}

function medianOf(numbers) {
  return numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)];
}

/** @param late each answer of the database, ms */
async function postgres(rows = 20_000, rounds = 5, late = [0, 1, 5, 20]) {
  await using cluster = await startPostgres();
  const args = ['items', 'import', rowsFile(rows), '--yes'];
  const own = () => withService((service) => runProc(args, service));
  for (const ms of late) {
    const shared = async () => {
      await using way = await cutter(await cluster.database(), ms);
      const env = { PROC_LEDGER: way.url, PROC_LEDGER_LOOPBACK: '1' };
      return await withService((service) => runProc(args, service, env));
    };
    const rates = { own: [], shared: [] };
    for (let round = 0; round < rounds; round++) {
      const sides = round % 2 === 0 ? { own, shared } : { shared, own };
      for (const [side, run] of Object.entries(sides)) {
        const { seconds, result } = await run();
        if (result.created !== rows) throw new Error(JSON.stringify(result));
        rates[side].push(rows / seconds);
      }
    }
    const ratio = medianOf(rates.shared.map((rate, at) => rate / rates.own[at]));
    const each = Object.entries(rates).map(
      ([side, all]) => `${side} ${medianOf(all).toFixed(0)}/s`,
    );
    console.log(
      `answers ${ms} ms late: ${each.join(' · ')} · median ratio ${ratio.toFixed(2)} (bar at 0: 0.75)`,
    );
  }
}

/**
 * The same rows by proc and by scripts of curl, to a service that loses one request and one response in a hundred: once
 * without a break, and once killed with kill -9 when 13 % of the rows are stored, then continued in the way that its
 * user has.
 */
async function today(rows = 5_000) {
  const ndjson = rowsFile(rows);
  const config = join(folder, 'curl.config');
  const quoted = (text) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  const bodies = readFileSync(ndjson, 'utf8').trimEnd().split('\n');
  const retries = ['--retry', '5', '--retry-delay', '1', '--retry-all-errors'];
  const headers = (key) => ['x-api-key: '.concat(key), 'content-type: application/json'];
  const xargs = (more) => (url, key) => [
    'sh',
    '-c',
    `tr '\\n' '\\0' < ${ndjson} | xargs -0 -P 16 -I{} curl -s -o /dev/null ${more.join(' ')} -X POST ${headers(
      key,
    )
      .map((header) => `-H '${header}'`)
      .join(' ')} --data-raw {} ${url}/items/`,
  ];
  const parallel = (more) => (url, key) => {
    const one = (body) =>
      [
        `url = "${url}/items/"\noutput = "/dev/null"\nrequest = "POST"`,
        ...headers(key).map((header) => `header = "${header}"`),
        ...(more.length === 0 ? [] : ['retry = 5', 'retry-delay = 1', 'retry-all-errors']),
        `data-raw = ${quoted(body)}\n`,
      ].join('\n');
    writeFileSync(config, bodies.map(one).join('next\n'));
    return [
      'curl',
      '--silent',
      '--parallel',
      '--parallel-max',
      String(CONCURRENCY),
      '--config',
      config,
    ];
  };
  const proc = () => [process.execPath, binary, 'items', 'import', ndjson, '--yes', '--quiet'];
  const resume = () => [process.execPath, binary, 'imports', 'resume', '--yes', '--quiet'];
  const ways = [
    ['proc items import', proc, resume],
    ['xargs -P 16 curl', xargs([]), xargs([])],
    ['xargs -P 16 curl --retry 5', xargs(retries), xargs(retries)],
    ['curl --parallel', parallel([]), parallel([])],
    ['curl --parallel --retry 5', parallel(retries), parallel(retries)],
  ];
  console.log(`${rows} rows: created twice or more; missing; seconds`);
  for (const [name, start, again] of ways) {
    for (const isKilled of [false, true]) {
      const { all, codes, seconds } = await withService(
        async ({ url, key, db, folder: state }) => {
          const env = { ...process.env, PROC_BASE_URL: url, PROC_API_KEY: key };
          env.PROC_STATE_DIR = env.PROC_CONFIG_DIR = state;
          const began = performance.now();
          const ran = ([program, ...args]) => {
            const child = spawn(program, args, { env, stdio: 'ignore', detached: true });
            return { child, closed: new Promise((done) => child.once('close', done)) };
          };
          const first = ran(start(url, key));
          if (isKilled) {
            while (storedIn(db).all < rows * 0.13)
              await new Promise((done) => setTimeout(done, 20));
            process.kill(-first.child.pid, 'SIGKILL');
          }
          await first.closed;
          if (isKilled) await ran(again(url, key)).closed;
          return { ...storedIn(db), seconds: (performance.now() - began) / 1000 };
        },
        ['--faults', 'reset-before=1%,reset-after=1%'],
      );
      const how = isKilled ? 'killed and continued' : 'without a break';
      console.log(`${name}, ${how}: ${all - codes}; ${rows - codes}; ${seconds.toFixed(1)}`);
    }
  }
}

function storedIn(db) {
  const open = new DatabaseSync(db, { readOnly: true });
  try {
    return {
      ...open.prepare('SELECT count(*) AS "all", count(DISTINCT code) AS codes FROM items').get(),
    };
  } finally {
    open.close();
  }
}

const [what, count, ...more] = process.argv.slice(2);
const rows = count === undefined ? undefined : Number(count);
try {
  if (what === undefined || what === 'rate') await rate(rows, more[0] && Number(more[0]));
  if (what === undefined || what === 'today') await today(rows);
  if (what === 'postgres')
    await postgres(rows, more[0] && Number(more[0]), more[1] && more.slice(1).map(Number));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
