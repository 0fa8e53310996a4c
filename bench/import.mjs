// The rate and memory of an import, compared with a bare undici loop and with scripts of curl.
//
//   npm run build && node bench/import.mjs            everything except the million rows
//   node bench/import.mjs rate [rows] [rounds]        proc and the bare loop, in pairs
//   node bench/import.mjs memory [rows] [kinds]       peak of the resident set
//   node bench/import.mjs stage [rows]                only reading, mapping and staging (--dry-run --offline)
//   node bench/import.mjs today [rows]                xargs curl and curl --parallel, killed and continued
import { spawn } from 'node:child_process';
import {
  createWriteStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';

const binary = resolve(import.meta.dirname, '../bin/proc.js');
/** The highest concurrency that proc chooses without `--tune concurrency`. */
const CONCURRENCY = 64;
const folder = mkdtempSync(join(tmpdir(), 'proc-bench-'));

/** Each measurement has a new, empty service in its own process. */
async function withService(work, more = []) {
  const own = mkdtempSync(join(folder, 'service-'));
  const db = join(own, 'db');
  const args = ['sandbox', 'start', '--port', '0', '--db', db, '--empty', '--quiet', ...more];
  const env = { ...process.env, PROC_STATE_DIR: own, PROC_CONFIG_DIR: own };
  const child = spawn(process.execPath, [binary, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise((done) =>
    createInterface({ input: child.stdout }).once('line', done),
  );
  const { url, key } = JSON.parse(line);
  try {
    return await work({ url, key, db, state: own });
  } finally {
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    await ended;
    rmSync(own, { recursive: true, force: true });
  }
}

/** Typical rows of 200 bytes. */
async function rowsFile(count, kind) {
  const path = join(folder, `rows-${count}.${kind}`);
  if (existsSync(path)) return path;
  const out = createWriteStream(path);
  const write = async (text) => {
    if (!out.write(text)) await new Promise((done) => out.once('drain', done));
  };
  if (kind === 'csv') await write('code,name,description,unitOfMeasure,brand,type\n');
  if (kind === 'json') await write('[\n');
  for (let n = 0; n < count; n++) {
    const row = rowOf(n);
    if (kind === 'csv')
      await write(
        `${Object.values(row)
          .map((cell) => `"${cell}"`)
          .join(',')}\n`,
      );
    else if (kind === 'json') await write(`${n === 0 ? '' : ',\n'}${JSON.stringify(row)}`);
    else await write(`${JSON.stringify(row)}\n`);
  }
  if (kind === 'json') await write('\n]\n');
  out.end();
  await new Promise((done) => out.once('close', done));
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

function runProc(args, service) {
  const state = mkdtempSync(join(folder, 'state-'));
  const env = {
    PATH: process.env.PATH,
    HOME: state,
    // Compiled code is kept between starts, as on any machine where proc has run before.
    XDG_CACHE_HOME: join(folder, 'cache'),
    PROC_STATE_DIR: state,
    PROC_CONFIG_DIR: state,
    ...(service && { PROC_BASE_URL: service.url, PROC_API_KEY: service.key }),
  };
  const began = performance.now();
  const child = spawn(process.execPath, [binary, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let peakKb = 0;
  const look = setInterval(() => {
    try {
      const [, kb] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      peakKb = Math.max(peakKb, Number(kb ?? 0));
    } catch {
      // The process has just ended.
    }
  }, 50);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr = (stderr + chunk).slice(-2_000);
  });
  return new Promise((done, fail) => {
    child.once('close', (code) => {
      clearInterval(look);
      rmSync(state, { recursive: true, force: true });
      const seconds = (performance.now() - began) / 1000;
      if (code !== 0) fail(new Error(`exit ${code}: ${stderr}`));
      else done({ seconds, peakMb: peakKb / 1024, result: JSON.parse(stdout) });
    });
  });
}

async function rate(rows = 60_000, rounds = 5) {
  const file = await rowsFile(rows, 'ndjson');
  const ratios = [];
  for (let round = 0; round < rounds; round++) {
    const bare = () => withService((service) => bareLoop(service, file));
    const proc = () =>
      withService((service) =>
        runProc(
          ['items', 'import', file, '--yes', '--tune', `concurrency=${CONCURRENCY}`],
          service,
        ),
      );
    // The order alternates, so that changes in the speed of the machine affect both equally.
    const first = round % 2 === 0;
    const a = first ? await bare() : await proc();
    const b = first ? await proc() : await bare();
    const bareS = first ? a : b;
    const { seconds, result } = first ? b : a;
    if (result.created !== rows) throw new Error(JSON.stringify(result));
    ratios.push(bareS / seconds);
    console.log(
      `  bare undici loop ${(rows / bareS).toFixed(0)}/s · proc ${(rows / seconds).toFixed(0)}/s (whole command) · ratio ${(bareS / seconds).toFixed(2)}`,
    );
  }
  const median = ratios.sort((one, other) => one - other)[Math.floor(ratios.length / 2)];
  console.log(
    `rate: ${rows} rows, ${CONCURRENCY} concurrent, median ratio ${median.toFixed(2)} (bar 0.90)`,
  );
}

async function memory(rows = 100_000, kinds = ['ndjson', 'json', 'csv']) {
  for (const kind of kinds) {
    const file = await rowsFile(rows, kind);
    const { peakMb, seconds } = await withService((service) =>
      runProc(['items', 'import', file, '--yes', '--tune', `concurrency=${CONCURRENCY}`], service),
    );
    console.log(
      `memory: ${rows} rows of ${kind}, peak ${peakMb.toFixed(0)} MB (bar 150), ${(rows / seconds).toFixed(0)}/s`,
    );
  }
}

async function stage(rows = 300_000) {
  for (const kind of ['ndjson', 'json', 'csv']) {
    const file = await rowsFile(rows, kind);
    const { seconds, peakMb } = await runProc(['items', 'import', file, '--dry-run', '--offline']);
    const mb = statSync(file).size / 1e6;
    console.log(
      `dry run: ${rows} rows of ${kind}, ${(rows / seconds / 1000).toFixed(0)}k rows/s, ${(mb / seconds).toFixed(0)} MB/s, peak ${peakMb.toFixed(0)} MB`,
    );
  }
}

/**
 * The same rows by proc and by scripts of curl, to a service that loses one request and one response in a hundred: once
 * without a break, and once killed with kill -9 when 13 % of the rows are stored, then continued in the way that its
 * user has.
 */
async function today(rows = 5_000) {
  const ndjson = await rowsFile(rows, 'ndjson');
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
        async ({ url, key, db, state }) => {
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
  if (what === undefined || what === 'memory')
    await memory(rows, more.length > 0 && what ? more : undefined);
  if (what === undefined || what === 'stage') await stage(rows);
  if (what === undefined || what === 'today') await today(rows);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
