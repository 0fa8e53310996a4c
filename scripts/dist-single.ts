// npm run dist:single: the whole program as one executable for Linux x64, compiled by bun. It
// starts in half the time of Node alone, but on another engine: docs/install.md says what was
// tested.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BUN, unpackBun } from './bun.ts';

const ROOT = resolve(import.meta.dirname, '..');
const OUT = join(ROOT, 'release-single');
const ENDED_EARLY = `error: proc ended before the command was complete
  hint: Report this, and use the package.
`;
/** The commands whose start should be fast, the most important ones first. The last one fails: nothing listens there. */
const USED_FIRST = [['orders', '--help'], ['--help'], ['orders', 'list', '-o', 'json']];
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const name = `proc-${version}-linux-x64`;
const folder = mkdtempSync(join(tmpdir(), 'proc-single-'));
try {
  const compiler = unpackBun(folder);
  // Like bin/proc.js, without the parts that only Node needs. bun may end the program early with exit code 0, e.g. if
  // it reads a named pipe as a socket. The `exit` listener turns this into an error.
  const entry = join(folder, 'proc.cjs');
  writeFileSync(
    entry,
    `if (process.argv.length === 3 && /^(--version|-V)$/.test(process.argv[2])) {
  try {
    // Without process.stdout, which takes bun 2 ms to open.
    require('node:fs').writeSync(1, ${JSON.stringify(`${version}\n`)});
    process.exit(0);
  } catch {
    // The program below reports it.
  }
}
let isComplete = false;
process.on('exit', (code) => {
  if (isComplete || code !== 0) return;
  require('node:fs').writeSync(2, ${JSON.stringify(ENDED_EARLY)});
  process.exitCode = 1;
});
const { main } = process.argv[2] === '__complete'
  ? require(${JSON.stringify(join(ROOT, 'dist/complete.cjs'))})
  : require(${JSON.stringify(join(ROOT, 'dist/main.cjs'))});
main(process.argv.slice(2), process, process.env).then((code) => {
  isComplete = true;
  process.exit(code);
});
`,
  );
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT);
  const out = join(OUT, name);
  // Without these flags, a .env file in the current folder could set proc's variables, and a
  // bunfig.toml could run code.
  const own = ['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'];
  const build = (...more: readonly string[]) => {
    const flags = ['--compile', '--minify', '--bytecode', ...own, ...more, '--outfile', out];
    execFileSync(compiler, ['build', ...flags, entry], { stdio: ['ignore', 'ignore', 'inherit'] });
  };
  // A first build writes which functions these commands use, in order. The second one keeps them together on the disk.
  build();
  const env = { HOME: folder, PROC_BASE_URL: 'http://127.0.0.1:9', PROC_API_KEY: 'unused' };
  const orders = USED_FIRST.map((words, at) => {
    const order = join(folder, `order-${at}`);
    spawnSync(out, words, { env: { ...env, BUN_BYTECODE_ORDER_OUT: order }, stdio: 'ignore' });
    return order;
  });
  build(`--bytecode-order=${orders.join(',')}`);
  const sum = createHash('sha256').update(readFileSync(out)).digest('hex');
  writeFileSync(join(OUT, 'SHA256SUMS'), `${sum}  ${name}\n`);
  console.log(`${name}  ${(statSync(out).size / 1e6).toFixed(1)} MB  bun ${BUN.version}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
