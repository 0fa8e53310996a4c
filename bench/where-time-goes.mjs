// Where the time of an import goes, per row: main thread of proc and of a loop that only sends, from CPU profiles of
// the whole commands. Each table adds up to the time from start to exit.
//
//   npm run build && node bench/where-time-goes.mjs [rows]
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { binary, withService } from './service.ts';

const ROWS = Number(process.argv[2] ?? 60_000);
const root = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'proc-bench-'));

/** The first rule that fits a frame, or a caller of it, names the place of a sample. */
const PLACES = [
  ['waiting for the service or the disk', /^\(idle\)/],
  ['garbage collection', /^\(garbage collector\)/],
  ['ledger: rows and outcomes', /src\/ledger\//],
  ['draft', /src\/import\/draft\//],
  ['read, map, check', /src\/import\/(source|map|check|targets)\//],
  ['plan and verify: the list, compared', /src\/(listing|import\/plan)\//],
  ['send: order, pace, verdicts', /src\/import\/(send|reconcile)[/-]/],
  ['responses: compared with their requests', /src\/(http|core\/json|nouns)\//],
  ['HTTP: undici, sockets', /undici|node:net|node:internal\/(stream|net|timers)|bare-loop|wasm/],
];
const REST = 'start, everything else';
/** By line of a built file: the build writes a comment with the source file above its code. */
const sources = new Map();

try {
  const file = join(folder, 'rows.ndjson');
  const row = (n) => ({
    code: `BN-${String((n * 7919) % 10_000_019).padStart(8, '0')}`,
    name: `Part number ${n}, steel`,
    description: `A part that is described in a sentence of usual length, number ${n}`,
    unitOfMeasure: 'EA',
    brand: 'Contoso',
    type: 'Components',
  });
  const lines = Array.from({ length: ROWS }, (_, n) => JSON.stringify(row(n)));
  writeFileSync(file, `${lines.join('\n')}\n`);
  const proc = await profiled(() => [binary, ...['items', 'import', file, '--yes', '--quiet']]);
  const loop = await profiled(({ url, key }) => [
    join(root, 'bench/bare-loop.mjs'),
    ...[url, key, file, '64'],
  ]);
  const perRow = (us) => Number(((us ?? 0) / ROWS).toFixed(1));
  const names = [...PLACES.map(([name]) => name), REST];
  console.log(`µs per row, ${ROWS} rows, with the profiler`);
  console.table([
    ...names.map((name) => ({ what: name, proc: perRow(proc[name]), loop: perRow(loop[name]) })),
    { what: 'in all', proc: perRow(sum(proc)), loop: perRow(sum(loop)) },
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs the program beside an empty service. */
function profiled(argsFor) {
  return withService(async ({ url, key, folder: own }) => {
    const profiles = join(own, 'profiles');
    const state = mkdtempSync(join(own, 'state-'));
    const args = ['--cpu-prof', '--cpu-prof-dir', profiles, ...argsFor({ url, key })];
    const child = spawn(process.execPath, args, {
      env: {
        PATH: process.env.PATH,
        HOME: state,
        PROC_STATE_DIR: state,
        PROC_CONFIG_DIR: state,
        PROC_BASE_URL: url,
        PROC_API_KEY: key,
        PROC_CONCURRENCY: '64',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const code = await new Promise((done) => child.once('close', done));
    if (code !== 0) throw new Error(`exit ${code}`);
    return timesOf(JSON.parse(readFileSync(join(profiles, readdirSync(profiles)[0]), 'utf8')));
  });
}

function timesOf({ nodes, samples, timeDeltas }) {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((c) => [c, id])));
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const places = new Map();
  const placeOf = (id) => {
    if (id === undefined) return REST;
    if (!places.has(id)) {
      const place = PLACES.find(([, rule]) => rule.test(frames.get(id)))?.[0];
      places.set(id, place ?? placeOf(parents.get(id)));
    }
    return places.get(id);
  };
  const times = {};
  samples.forEach((id, at) => {
    const place = placeOf(id);
    times[place] = (times[place] ?? 0) + timeDeltas[at];
  });
  return times;
}

function nameOf({ functionName, url, lineNumber }) {
  if (!url.includes('/dist/')) return `${functionName} ${url}`;
  const path = url.replace('file://', '');
  if (!sources.has(path)) {
    let source = '';
    sources.set(
      path,
      readFileSync(path, 'utf8')
        .split('\n')
        .map((line) => {
          source = /^\/\/(?:#region)? ((?:src|node_modules)\/\S+)/.exec(line)?.[1] ?? source;
          return source;
        }),
    );
  }
  return `${functionName} ${sources.get(path)[lineNumber]}`;
}

function sum(times) {
  return Object.values(times).reduce((a, b) => a + b, 0);
}
