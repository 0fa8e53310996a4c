// Checks on fresh copies of this checkout that `npm ci`, `npm run demo` and `npm test` work with each npm on each
// Node. Needs the network. The tests are a few files; with --whole, all of them. An argument such as 12@20 chooses npm
// and Node.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

const NPMS = ['10', '11', '12'];
const NODES = ['20', '22', '24'];
/** Files that need the Nodes of the checkout, the build and npm itself. */
const SLICE = [
  'test/unit/core/decimal.test.ts',
  'test/e2e/oldest-node.test.ts',
  'test/e2e/package.test.ts',
];

const ROOT = resolve(import.meta.dirname, '..');
const chosen = process.argv.slice(2).filter((one) => one.includes('@'));
const tests = process.argv.includes('--whole') ? [] : SLICE;
const folder = mkdtempSync(join(tmpdir(), 'proc-npm-'));
const checkout = join(folder, 'checkout');
const tools = join(folder, 'tools');
/** Without what the npm that runs this script has set. */
const ENV = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)),
);
/** Without the programs of this checkout, which would replace missing ones of the copy. */
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((one) => !one.includes('node_modules'))
  .join(delimiter);
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

function output(program: string, args: readonly string[], cwd: string, path = PATH) {
  const env = { ...ENV, PATH: path };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  return { isDone: status === 0, text: `${stdout}${stderr}` };
}

function must(program: string, args: readonly string[], cwd: string): string {
  const { isDone, text } = output(program, args, cwd);
  if (!isDone) throw new Error(`${program} ${args.join(' ')} failed in ${cwd}:\n${text}`);
  return text;
}

mkdirSync(tools);
const aliases = (name: string, versions: readonly string[]) =>
  versions.map((version) => [`${name}${version}`, `npm:${name}@${version}`]);
writeFileSync(
  join(tools, 'package.json'),
  JSON.stringify({
    allowScripts: { node: true },
    dependencies: Object.fromEntries([...aliases('node', NODES), ...aliases('npm', NPMS)]),
  }),
);
must('npm', ['install', '--no-audit', '--no-fund', '--no-bin-links'], tools);

const files = must('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], ROOT);
for (const file of files.split('\0').filter((one) => one !== ''))
  cpSync(join(ROOT, file), join(checkout, file));

let failures = 0;
for (const npm of NPMS) {
  for (const node of NODES) {
    if (chosen.length > 0 && !chosen.includes(`${npm}@${node}`)) continue;
    const bin = join(folder, `npm${npm}-node${node}`);
    mkdirSync(bin);
    const own = join(tools, 'node_modules', `node${node}`, 'bin/node');
    const cli = join(tools, 'node_modules', `npm${npm}`, 'bin/npm-cli.js');
    for (const [name, words] of [
      ['node', `'${own}'`],
      ['npm', `'${own}' '${cli}'`],
    ] as const) {
      writeFileSync(join(bin, name), `#!/bin/sh\nexec ${words} "$@"\n`);
      chmodSync(join(bin, name), 0o755);
    }
    for (const args of [['ci'], ['run', 'demo'], ['test', '--', ...tests]]) {
      const { isDone, text } = output('npm', args, checkout, `${bin}${delimiter}${PATH}`);
      const name = `npm ${npm} on Node ${node}: npm ${args.slice(0, 2).join(' ')}`;
      console.log(`${isDone ? 'ok    ' : 'FAILED'}  ${name}`);
      if (isDone) continue;
      failures++;
      console.log(text.split('\n').slice(-40).join('\n'));
    }
  }
}
process.exitCode = failures === 0 ? 0 : 1;
