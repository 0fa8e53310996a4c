// How the cost of an import grows with its rows, and what a full state folder costs.
//
//   npm run build && node bench/growth.mjs rows [most]     time and memory by phase, up to 1,000,000 rows
//   node bench/growth.mjs ledger [rows] [runs]             commands beside a ledger of 2,000,000 rows and 200 runs
import { execFileSync, spawn } from 'node:child_process';
import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { finished } from 'node:stream/promises';

const binary = resolve(import.meta.dirname, '../bin/proc.js');
const folder = mkdtempSync(join(tmpdir(), 'proc-bench-'));

async function withService(work) {
  const own = mkdtempSync(join(folder, 'service-'));
  const db = join(own, 'db');
  const args = ['sandbox', 'start', '--port', '0', '--db', db, '--empty', '--quiet'];
  const child = spawn(process.execPath, [binary, ...args], {
    env: { ...process.env, PROC_STATE_DIR: own, PROC_CONFIG_DIR: own },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise((done) =>
    createInterface({ input: child.stdout }).once('line', done),
  );
  const { url, key } = JSON.parse(line);
  try {
    return await work({ db, env: environment({ PROC_BASE_URL: url, PROC_API_KEY: key }) });
  } finally {
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    await ended;
    rmSync(own, { recursive: true, force: true });
  }
}

function environment(more) {
  const state = mkdtempSync(join(folder, 'state-'));
  return {
    PATH: process.env.PATH,
    HOME: state,
    XDG_CACHE_HOME: join(folder, 'cache'),
    PROC_STATE_DIR: state,
    PROC_CONFIG_DIR: state,
    ...more,
  };
}

/** Seconds of each phase, by what the ledger and the service show, and proc's peak memory until its end in MB. */
async function phasesOf(args, { db, env }, rows) {
  const phases = { stage: [0, 0], plan: [0, 0], send: [0, 0], verify: [0, 0] };
  const began = performance.now();
  const child = spawn(process.execPath, [binary, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  using service = new DatabaseSync(db, { readOnly: true });
  let ledger;
  let last = began;
  const look = () => {
    const now = performance.now();
    const name = phaseNow();
    phases[name][0] += (now - last) / 1000;
    last = now;
    try {
      const [, kb] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      phases[name][1] = Math.max(phases[name][1], Number(kb ?? 0) / 1024);
    } catch {
      // The process has just ended.
    }
  };
  const phaseNow = () => {
    try {
      ledger ??= new DatabaseSync(join(env.PROC_STATE_DIR, 'ledger.db'), { readOnly: true });
      const phase = ledger.prepare('SELECT phase FROM runs ORDER BY number DESC').get()?.phase;
      if (phase === undefined || phase === 'reading') return 'stage';
      if (phase === 'planning') return 'plan';
    } catch {
      return 'stage';
    }
    // Items have no gaps in the sandbox, so this is their number.
    return service.prepare('SELECT max(seq) AS n FROM items').get().n < rows ? 'send' : 'verify';
  };
  const looking = setInterval(look, 25);
  const code = await new Promise((done) => child.once('close', done));
  clearInterval(looking);
  look();
  ledger?.close();
  const result = JSON.parse(stdout);
  if (code !== 0 || result.created !== rows) throw new Error(`exit ${code}: ${stdout}`);
  return { phases, seconds: (performance.now() - began) / 1000 };
}

async function rows(most = 1_000_000) {
  const table = [];
  for (const count of [10_000, 100_000, 1_000_000].filter((n) => n <= most)) {
    const ndjson = await file(count, 'ndjson');
    const csv = await file(count, 'csv');
    const xlsx = join(folder, `rows-${count}.xlsx`);
    for (const path of [ndjson, csv, xlsx]) {
      await withService(async (service) => {
        const args = ['items', 'import', path, '--yes', '--quiet', '--tune', 'concurrency=64'];
        const { phases, seconds } = await phasesOf(args, service, count);
        const cells = Object.entries(phases).map(([name, [s, mb]]) => [
          name,
          `${s.toFixed(1)} s, ${mb.toFixed(0)} MB`,
        ]);
        const kind = path.split('.').at(-1);
        const line = { rows: count, kind, seconds: Number(seconds.toFixed(1)) };
        table.push({
          ...line,
          ...Object.fromEntries(cells),
          'rows/s': Math.round(count / seconds),
        });
        console.log(JSON.stringify(table.at(-1)));
        if (path !== ndjson) return;
        const list = ['items', 'list', '--all', '--quiet', '--out', xlsx];
        execFileSync(process.execPath, [binary, ...list], { env: service.env });
      });
    }
  }
  console.table(table);
}

async function file(count, kind) {
  const path = join(folder, `rows-${count}.${kind}`);
  const out = createWriteStream(path);
  if (kind === 'csv') out.write('code,name,description,unitOfMeasure,brand,type\n');
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
          : `${JSON.stringify(row)}\n`;
    }
    if (!out.write(lines)) await new Promise((done) => out.once('drain', done));
  }
  await finished(out.end());
  return path;
}

/** The same commands with an empty ledger and with a full one, by turns. */
async function ledger(most = 2_000_000, runs = 200) {
  await withService(async ({ env }) => {
    const one = join(folder, 'one.ndjson');
    const imports = (from) => {
      const text = Array.from({ length: 100 }, (_, n) => JSON.stringify(rowOf(from + n)));
      writeFileSync(one, `${text.join('\n')}\n`);
      return ['items', 'import', one, '--yes', '--quiet'];
    };
    const empty = { ...env, PROC_STATE_DIR: join(folder, 'little') };
    mkdirSync(empty.PROC_STATE_DIR);
    execFileSync(process.execPath, [binary, ...imports(0)], { env: empty });
    for (let run = 0; run < runs; run++) {
      writeFileSync(one, `${JSON.stringify(rowOf(1_000 + run))}\n`);
      const args = ['items', 'import', one, '--yes', '--quiet'];
      execFileSync(process.execPath, [binary, ...args], {
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    }
    const database = new DatabaseSync(join(env.PROC_STATE_DIR, 'ledger.db'));
    database.exec('BEGIN');
    database
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
          INSERT INTO sent (run, row, key, state, id, at, intent)
          SELECT r.number, 1 + i, 'code OLD-' || r.number || '-' || i, 'created', 'itm-old-' || r.number || '-' || i, 1, 1
          FROM runs r CROSS JOIN n`,
      )
      .run(Math.ceil(most / runs));
    database.exec('COMMIT');
    const { n } = database.prepare('SELECT count(*) AS n FROM sent').get();
    database.close();
    console.log(`ledger: ${n} rows of ${runs} runs`);
    let imported = 0;
    for (const [what, args] of [
      ['imports list', () => ['imports', 'list']],
      ['imports show <Tab>', () => ['__complete', 'fish', 'imports', 'show', '']],
      ['history list', () => ['history', 'list']],
      ['status', () => ['status', '--yes']],
      ['import of 100 rows', () => imports(1_000_000 + 100 * imported++)],
    ]) {
      const ratios = [];
      let ms = 0;
      for (let round = 0; round < 11; round++) {
        const [first, second] = round % 2 === 0 ? [env, empty] : [empty, env];
        const a = took(args(), first);
        const b = took(args(), second);
        const [full, little] = round % 2 === 0 ? [a, b] : [b, a];
        ratios.push(full / little);
        ms = Math.max(ms, full);
      }
      ratios.sort((a, b) => a - b);
      console.log(
        `${what.padEnd(22)} ${ratios[5].toFixed(2)} × of an empty ledger (${ratios[2].toFixed(2)} to ${ratios[8].toFixed(2)}), at most ${ms.toFixed(0)} ms`,
      );
    }
  });
}

function rowOf(n) {
  return { code: `G-${n}`, name: `Growing part ${n}, steel`, unitOfMeasure: 'EA' };
}

function took(args, env) {
  const began = performance.now();
  execFileSync(process.execPath, [binary, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return performance.now() - began;
}

const [what, ...counts] = process.argv.slice(2);
try {
  if (what === undefined || what === 'rows') await rows(counts[0] && Number(counts[0]));
  if (what === undefined || what === 'ledger') await ledger(...counts.map(Number));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
