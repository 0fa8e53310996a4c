import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | undefined;

/** Makes one folder for the temporary files of all tests of a run, and removes it afterwards. */
export default async function setup(): Promise<() => Promise<void>> {
  // Each project of a run calls this.
  if (folder !== undefined) return async () => {};
  // Some tests run the program as another user, who must be able to read it.
  process.umask(0o022);
  const { mode } = await stat(tmpdir());
  const isPrivate = process.getuid?.() === 0 && (mode & 0o001) === 0;
  folder = await mkdtemp(join(isPrivate ? '/tmp' : tmpdir(), 'proc-tests-'));
  const made = folder;
  await chmod(made, 0o755);
  process.env.TMPDIR = join(made, 'tmp');
  await mkdir(process.env.TMPDIR);
  // Most processes have a fresh home folder. With a shared cache, only the first one compiles the program.
  process.env.XDG_CACHE_HOME = join(made, 'cache');
  return () => rm(made, { recursive: true, force: true });
}
