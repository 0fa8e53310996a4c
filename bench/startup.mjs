// node bench/startup.mjs: how long proc takes to start, compared with bare Node.
// Exits 1 if a limit in bench/README.md is missed.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { paired } from './paired.mjs';

const root = resolve(import.meta.dirname, '..');
const bin = join(root, 'bin', 'proc.js');
const home = mkdtempSync(join(tmpdir(), 'proc-bench-'));
const runs = Number(process.argv[2] ?? 40);
const env = {
  PATH: process.env.PATH,
  HOME: home,
  PROC_CONFIG_DIR: join(home, 'config'),
  PROC_STATE_DIR: join(home, 'state'),
};

const sandbox = spawn(process.execPath, [bin, 'sandbox', 'start', '--port', '0', '--quiet'], {
  env,
  stdio: ['ignore', 'pipe', 'ignore'],
});
try {
  const [line] = await once(createInterface({ input: sandbox.stdout }), 'line');
  const { url, key } = JSON.parse(line);
  // The same GET with undici's public function, and the fastest simple way: no library. Both print the body unchanged.
  const withUndici = [
    '-e',
    `require(process.env.BENCH_UNDICI).request(process.env.BENCH_URL, { headers: { 'x-api-key': process.env.BENCH_KEY } })
      .then(({ body }) => body.pipe(process.stdout))`,
  ];
  const bare = [
    '-e',
    `require('node:http').get(process.env.BENCH_URL, { headers: { 'x-api-key': process.env.BENCH_KEY } },
      (response) => response.pipe(process.stdout))`,
  ];
  const reading = {
    ...env,
    PROC_BASE_URL: url,
    PROC_API_KEY: key,
    BENCH_URL: `${url}/orders/?limit=20`,
    BENCH_KEY: key,
    BENCH_UNDICI: join(root, 'node_modules', 'undici'),
  };
  const list = [bin, 'orders', 'list', '--limit', '20', '-o', 'json'];
  const measured = [
    [
      'proc --version',
      'node -e 0',
      1.3,
      paired({ subject: [bin, '--version'], reference: ['-e', '0'], env, runs }),
    ],
    [
      'proc --help',
      'node -e 0',
      1.3,
      paired({ subject: [bin, '--help'], reference: ['-e', '0'], env, runs }),
    ],
    [
      'proc orders list -o json',
      'undici GET',
      1.4,
      paired({ subject: list, reference: withUndici, env: reading, runs }),
    ],
    [
      'proc orders list -o json',
      'bare GET',
      undefined,
      paired({ subject: list, reference: bare, env: reading, runs }),
    ],
  ];
  for (const noun of process.argv.includes('--no-help') ? [] : nouns()) {
    measured.push([
      `proc ${noun} --help`,
      'node -e 0',
      1.7,
      paired({
        subject: [bin, noun, '--help'],
        reference: ['-e', '0'],
        env,
        runs: Math.ceil(runs / 4),
      }),
    ]);
  }
  console.log(
    'subject                     reference    ratio (quartiles)      ms against ms   budget',
  );
  for (const [subject, reference, bar, result] of measured) {
    const { ratio, low, high, subjectMs, referenceMs } = result;
    const verdict = bar === undefined ? '' : ratio <= bar ? `≤ ${bar} met` : `≤ ${bar} MISSED`;
    console.log(
      `${subject.padEnd(27)} ${reference.padEnd(12)} ${ratio.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`.padEnd(
        64,
      ) +
        `${subjectMs.toFixed(0).padStart(4)} against ${referenceMs.toFixed(0).padStart(3)}   ${verdict}`,
    );
    if (bar !== undefined && ratio > bar) process.exitCode = 1;
  }
} finally {
  sandbox.kill('SIGTERM');
  await once(sandbox, 'exit');
  rmSync(home, { recursive: true, force: true });
}

function nouns() {
  const { stdout } = spawnSync(process.execPath, [bin, '--help'], { env, encoding: 'utf8' });
  return [...stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map((match) => match[1]);
}
