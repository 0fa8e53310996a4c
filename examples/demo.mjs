// `npm run demo`: a short tour of proc in a sandbox, with the commands you would type; then the session of
// kill-and-resume.sh: an import that is killed and resumed, counted with SQL.
// Everything happens in a temporary folder that is removed at the end.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const bin = join(root, 'bin', 'proc.js');

if (process.argv[2] === 'tour') tour();
else {
  console.log('$ proc sandbox exec\n');
  const inside = [bin, 'sandbox', 'exec', '--', process.execPath, import.meta.filename, 'tour'];
  const { status } = spawnSync(process.execPath, inside, { cwd: root, stdio: 'inherit' });
  if (status === 0) killAndResume();
  process.exitCode = status ?? 1;
}

function tour() {
  proc(['items', 'create', '--file', 'examples/item.json', '-o', 'table']);
  proc(['items', 'create', '--name', 'Adjustable Race', '--code', 'AR-5381', '-o', 'table']);
  proc(['items', 'list', '--limit', '8', '-o', 'table']);
  proc(['requisition', 'create', '--file', 'examples/requisition.json', '--dry-run']);
  const { requisitionId } = JSON.parse(
    proc(['requisition', 'create', '--file', 'examples/requisition.json']),
  );
  const group = proc([
    'requisition',
    'group',
    'add',
    requisitionId,
    '--name',
    'Night shift',
    '-o',
    'id',
  ]).trim();
  const item = proc(['items', 'list', '--sort', 'code', '--limit', '1', '-o', 'id']).trim();
  proc([
    'requisition',
    'item',
    'add',
    requisitionId,
    group,
    '--item',
    item,
    '--quantity',
    '3',
    '-o',
    'table',
  ]);
  proc(['orders', 'list', '--sort', 'code', '--limit', '8', '-o', 'table']);
  proc(['orders', 'list', '--sort', 'code', '--dir', 'desc', '--limit', '2']);
}

function killAndResume() {
  if (process.platform === 'win32') {
    console.log(
      'Next: "Try it" in README.md. Here follows a shell script, which Windows cannot run.',
    );
    return;
  }
  const home = mkdtempSync(join(tmpdir(), 'proc-demo-'));
  const tools = join(home, 'bin');
  mkdirSync(tools);
  const launcher = `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`;
  writeFileSync(join(tools, 'proc'), launcher, { mode: 0o755 });
  console.log('$ sh examples/kill-and-resume.sh\n');
  const PATH = [tools, dirname(process.execPath), process.env.PATH].join(delimiter);
  const { status } = spawnSync('sh', [join(root, 'examples/kill-and-resume.sh')], {
    env: { ...process.env, PATH },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  rmSync(home, { recursive: true, force: true });
  if (status !== 0) throw new Error(`kill-and-resume.sh ended with ${status}`);
  console.log(
    '\nKilled, resumed: 20,000 rows and 20,000 codes in the database. Next: "Try it" in README.md',
  );
}

/** Prints a command, runs it and prints its output; ends the demo if it fails. */
function proc(args) {
  const shown = args.map((arg) => (/^[\w./:=-]+$/.test(arg) ? arg : JSON.stringify(arg))).join(' ');
  console.log(`$ proc ${shown}`);
  const done = spawnSync(process.execPath, [bin, ...args], { cwd: root, encoding: 'utf8' });
  process.stdout.write(`${done.stdout}${done.stderr}\n`);
  if (done.status !== 0) throw new Error(`proc ${shown} ended with ${done.status}`);
  return done.stdout;
}
