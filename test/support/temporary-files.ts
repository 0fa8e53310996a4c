import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | undefined;

/**
 * Waits until its input ends, which also happens when the test runner is killed. Then it ends all processes that name
 * the folder, except the workers of a runner that still runs, and removes the folder.
 */
const GUARD = `cat
for turn in 1 2; do
  for one in /proc/[0-9]*; do
    grep -qs "^PPid:.$2$" $one/status || ! grep -qsF "$1/" $one/environ $one/cmdline || kill -9 \${one#/proc/}
  done
done
rm -rf "$1" || { sleep 1; chmod -R u+rwX "$1"; rm -rf "$1"; }`;

/** Makes one folder for the temporary files of all tests of a run, and removes it afterwards. */
export default async function setup(): Promise<() => Promise<void>> {
  // Each project of a run calls this.
  if (folder !== undefined) return async () => {};
  // Some tests run the program as another user, who must be able to read it.
  process.umask(0o022);
  folder = (await inMemory()) ?? (await onDisk());
  const made = folder;
  const guard = spawn('sh', ['-c', GUARD, 'guard', made, String(process.pid)], {
    ...{ cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] },
  });
  await chmod(made, 0o755);
  process.env.TMPDIR = join(made, 'tmp');
  await mkdir(process.env.TMPDIR);
  // Most processes have a fresh home folder. With a shared cache, only the first one compiles the program.
  process.env.XDG_CACHE_HOME = join(made, 'cache');
  return async () => {
    const ended = once(guard, 'exit');
    guard.stdin.end();
    await ended;
  };
}

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 ** 31;

/** The tests commit to thousands of databases, which on many disks takes most of their time. */
async function inMemory(): Promise<string | undefined> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  if (bavail * bsize < ENOUGH_BYTES) return undefined;
  const made = await mkdtemp(join(MEMORY, 'proc-tests-')).catch(() => undefined);
  if (made === undefined) return undefined;
  // In containers it is often mounted without the right to run programs.
  const program = join(made, 'program');
  await writeFile(program, '#!/bin/sh\n', { mode: 0o755 });
  if (spawnSync(program).status === 0) return made;
  await rm(made, { recursive: true, force: true });
  return undefined;
}

async function onDisk(): Promise<string> {
  const { mode } = await stat(tmpdir());
  const isPrivate = process.getuid?.() === 0 && (mode & 0o001) === 0;
  return mkdtemp(join(isPrivate ? '/tmp' : tmpdir(), 'proc-tests-'));
}
