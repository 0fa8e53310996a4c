// `npm run tasks`: runs the script of each task (TASK.sh) twice against a sandbox of its own, and asks its database
// (TASK.sql) whether the task is done and how many writes were wrong. To set an agent on the same tasks:
//   npm run tasks -- --agent 'my-agent --prompt-from-stdin'
// The agent gets the task in plain words (TASK.md) on standard input, runs `proc` as it likes, and says `done` in its
// last line if it believes that it is done. Prints a line of JSON for each task. Exits 1 if one is not right.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const here = import.meta.dirname;
const root = resolve(here, '../..');
const [first, second, third] = process.argv.slice(2);
if (first === '--inside') inside(second, third);
else outside(first === '--agent' ? second : undefined);

/** @param {string | undefined} agent a line of sh */
function outside(agent) {
  const tasks = readdirSync(here).filter((file) => file.endsWith('.md') && file !== 'README.md');
  for (const task of tasks.map((file) => basename(file, '.md'))) {
    const again = [
      process.execPath,
      import.meta.filename,
      '--inside',
      task,
      ...(agent ? [agent] : []),
    ];
    const ran = spawnSync(
      process.execPath,
      [process.env.PROC ?? join(root, 'bin/proc.js'), 'sandbox', 'exec', '--', ...again],
      { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
    );
    process.stdout.write(ran.stdout);
    if (ran.status !== 0) process.exitCode = 1;
  }
}

/** Runs inside `proc sandbox exec`, which sets PROC_SANDBOX_DB. */
function inside(task, agent) {
  const folder = mkdtempSync(join(tmpdir(), 'proc-task-'));
  try {
    const log = join(folder, 'commands');
    const proc = join(folder, 'proc');
    const real = process.env.PATH.split(delimiter).find((one) => existsSync(join(one, 'proc')));
    writeFileSync(proc, `#!/bin/sh\necho >> '${log}'\nexec '${join(real, 'proc')}' "$@"\n`);
    chmodSync(proc, 0o755);
    const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
    const run = (argv, input) =>
      spawnSync('sh', argv, {
        cwd: root,
        env,
        input,
        encoding: 'utf8',
        stdio: ['pipe', 'pipe', 'inherit'],
      });
    const file = (ending) => join(here, `${task}.${ending}`);
    const ran =
      agent === undefined
        ? run(['-e', file('sh')])
        : run(['-c', agent], readFileSync(file('md'), 'utf8'));
    const commands = existsSync(log) ? readFileSync(log, 'utf8').length : 0;
    if (agent === undefined) run(['-e', file('sh')]);
    const database = new DatabaseSync(process.env.PROC_SANDBOX_DB, { readOnly: true });
    const checked = database.prepare(readFileSync(file('sql'), 'utf8')).get();
    database.close();
    const right = checked.right === 1;
    const lastLine = ran.stdout.trim().split('\n').at(-1) ?? '';
    const saysDone = agent === undefined ? ran.status === 0 : /\bdone\b/i.test(lastLine);
    const wrongWrites = checked.wrongWrites ?? 0;
    console.log(
      JSON.stringify({ task, right, wrongWrites, falseDone: saysDone && !right, commands }),
    );
    if (!right) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
