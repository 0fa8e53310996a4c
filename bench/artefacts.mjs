// npm run bench:artefacts: how long the artefacts of a release take to start, compared with bare
// Node, with gh, and the single executable with an empty program that the same bun compiled. Run `npm run dist` and `npm run dist:single` first. Exits 1 if a limit in
// bench/README.md is missed.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { filesOfPackage } from '../scripts/release/npm-package.ts';
import { BUN } from '../scripts/release/platforms.ts';
import { paired } from './paired.mjs';

const root = resolve(import.meta.dirname, '..');
const runs = Number(process.argv[2] ?? 40);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const base = `proc-${version}-linux-x64`;
const folder = mkdtempSync(join(tmpdir(), 'proc-bench-'));
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  PROC_CONFIG_DIR: join(folder, 'config'),
  PROC_STATE_DIR: join(folder, 'state'),
};
try {
  execFileSync('tar', ['-xzf', join(root, 'release', `${base}.tar.gz`), '-C', folder]);
  const archive = join(folder, base);
  const archiveNode = { file: join(archive, 'node'), args: ['-e', '0'] };
  const gh = spawnSync('gh', ['--version']).status === 0;
  const programs = {
    package: (args) => [join(root, 'bin/proc.js'), ...args],
    archive: (args) => ({ file: join(archive, 'proc'), args }),
    single: (args) => ({ file: join(root, 'release-single', base), args }),
  };
  const single = programs.single([]).file;
  const empty = { file: existsSync(single) ? await compiledEmpty() : '', args: [] };
  const table = [];
  for (const [name, call] of Object.entries(programs)) {
    if (name === 'single' && !existsSync(single)) continue;
    const node = name === 'archive' ? archiveNode : ['-e', '0'];
    for (const [words, other] of [
      [['--version'], ['--version']],
      [
        ['orders', '--help'],
        ['pr', '--help'],
      ],
    ]) {
      const subject = call(words);
      const label = `${name}: proc ${words.join(' ')}`;
      // Limits of bench/README.md for `--version` and for a help page.
      const bar = name !== 'archive' ? undefined : words.length === 1 ? 1.3 : 1.7;
      table.push(measure(label, subject, 'node -e 0', node, bar));
      if (name === 'single') {
        table.push(measure(label, subject, 'empty, by bun', empty, words.length === 1 ? 1.7 : 2));
      }
      const against = { file: 'gh', args: other };
      if (gh) {
        table.push(measure(label, subject, `gh ${other.join(' ')}`, against));
      }
    }
  }
  console.table(table);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function compiledEmpty() {
  const [bun] = await filesOfPackage(BUN, ['bin/bun']);
  const compiler = join(folder, 'bun');
  writeFileSync(compiler, bun.bytes, { mode: 0o755 });
  const file = join(folder, 'empty');
  writeFileSync(`${file}.cjs`, '');
  const flags = ['--compile', '--minify', '--bytecode', '--outfile', file];
  execFileSync(compiler, ['build', ...flags, `${file}.cjs`], { stdio: 'ignore' });
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
