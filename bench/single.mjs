// node bench/single.mjs: how long the single executable takes to start, compared with an empty program that the same bun
// compiled, and with gh. Run `npm run dist:single` first. Exits 1 if a limit in bench/README.md is missed.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { unpackBun } from '../scripts/bun.ts';
import { paired } from './paired.mjs';

const root = resolve(import.meta.dirname, '..');
const runs = Number(process.argv[2] ?? 40);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const single = join(root, 'release-single', `proc-${version}-linux-x64`);
const folder = mkdtempSync(join(tmpdir(), 'proc-bench-'));
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  PROC_CONFIG_DIR: join(folder, 'config'),
  PROC_STATE_DIR: join(folder, 'state'),
};
try {
  const hasGh = spawnSync('gh', ['--version']).status === 0;
  const empty = { file: compiledEmpty(), args: [] };
  const table = [];
  for (const [words, ofGh, bar] of [
    [['--version'], ['--version'], 1.7],
    [['orders', '--help'], ['pr', '--help'], 2.2],
  ]) {
    const subject = { file: single, args: words };
    const label = `proc ${words.join(' ')}`;
    table.push(measure(label, subject, 'empty, by bun', empty, bar));
    const gh = { file: 'gh', args: ofGh };
    if (hasGh) table.push(measure(label, subject, `gh ${ofGh.join(' ')}`, gh));
  }
  console.table(table);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function compiledEmpty() {
  const file = join(folder, 'empty');
  writeFileSync(`${file}.cjs`, '');
  const flags = ['--compile', '--minify', '--bytecode', '--outfile', file];
  execFileSync(unpackBun(folder), ['build', ...flags, `${file}.cjs`], { stdio: 'ignore' });
  return file;
}

function measure(subject, call, reference, against, bar) {
  const result = paired({ subject: call, reference: against, env, runs });
  const isMissed = bar !== undefined && result.ratio > bar;
  if (isMissed) process.exitCode = 1;
  return {
    subject,
    ms: Math.round(result.subjectMs),
    reference,
    'reference ms': Math.round(result.referenceMs),
    ratio: result.ratio.toFixed(2),
    quartiles: `${result.low.toFixed(2)}–${result.high.toFixed(2)}`,
    budget: bar === undefined ? '' : `≤ ${bar} ${isMissed ? 'MISSED' : 'met'}`,
  };
}
