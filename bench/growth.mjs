// How the memory and the time of an import grow with its rows, and what a full ledger costs.
//
//   npm run build && node bench/growth.mjs rows [most]     peak of the resident set, up to 1,000,000 rows
//   node bench/growth.mjs ledger [rows] [runs]             commands beside a ledger of 2,000,000 rows and 200 runs
import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { finished } from 'node:stream/promises';
import { binary, runProc, withService } from './service.ts';

const folder = mkdtempSync(join(tmpdir(), 'proc-bench-'));

async function rows(most = 1_000_000) {
  const table = [];
  for (const count of [10_000, 100_000, 1_000_000].filter((n) => n <= most)) {
    for (const kind of ['ndjson', 'json', 'csv']) {
      const path = await file(count, kind);
      const args = ['items', 'import', path, '--yes', '--quiet'];
      const { seconds, peakMb, result } = await withService((service) => runProc(args, service));
      if (result.created !== count) throw new Error(JSON.stringify(result));
      table.push({ rows: count, kind, seconds: seconds.toFixed(1), 'peak MB': peakMb.toFixed(0) });
      rmSync(path);
    }
  }
  console.table(table);
}

async function file(count, kind) {
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

/** The same commands with an empty ledger and with a full one, by turns. */
async function ledger(most = 2_000_000, runs = 200) {
  await withService(async ({ url, key, folder: own }) => {
    const env = {
      PATH: process.env.PATH,
      HOME: own,
      PROC_STATE_DIR: join(own, 'full'),
      PROC_CONFIG_DIR: join(own, 'config'),
      PROC_BASE_URL: url,
      PROC_API_KEY: key,
    };
    const one = join(folder, 'one.ndjson');
    const imports = (from) => {
      const text = Array.from({ length: 100 }, (_, n) => JSON.stringify(rowOf(from + n)));
      writeFileSync(one, `${text.join('\n')}\n`);
      return ['items', 'import', one, '--yes', '--quiet'];
    };
    const empty = { ...env, PROC_STATE_DIR: join(folder, 'little') };
    mkdirSync(empty.PROC_STATE_DIR);
    mkdirSync(env.PROC_STATE_DIR);
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
          INSERT INTO rows (at, state, key, id, intent, sent_at)
          SELECT (r.number << 32) + 1 + i, 'created', 'old-' || r.number || '-' || i, 'itm-old-' || r.number || '-' || i,
            r.last_intent, 1
          FROM runs r CROSS JOIN n`,
      )
      .run(Math.ceil(most / runs));
    database.exec('COMMIT');
    const { n } = database.prepare('SELECT count(*) AS n FROM rows').get();
    database.close();
    console.log(`ledger: ${n} rows of ${runs} runs`);
    let imported = 0;
    for (const [what, args] of [
      ['imports list', () => ['imports', 'list']],
      ['imports show <Tab>', () => ['__complete', 'fish', 'imports', 'show', '']],
      ['history list', () => ['history', 'list']],
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
