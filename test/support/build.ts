import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    built: { readonly binary: string } | { readonly failure: string };
  }
}

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * Builds the program once for a test run, into a temporary folder: another build may replace `dist`. Temporary
 * files of all tests go there too.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Some tests run the program as another user, who must be able to read it.
  process.umask(0o022);
  const folder = await mkdtemp(join(tmpdir(), 'proc-tests-'));
  await chmod(folder, 0o755);
  const built = join(folder, 'built');
  process.env.TMPDIR = join(folder, 'tmp');
  await mkdir(process.env.TMPDIR);
  // Most processes have a fresh home folder. With a shared cache, only the first one compiles the program.
  process.env.XDG_CACHE_HOME = join(folder, 'cache');
  try {
    await cp(join(ROOT, 'bin'), join(built, 'bin'), { recursive: true });
    const run = promisify(execFile);
    const build = [join(ROOT, 'scripts/build.mjs'), join(built, 'dist')];
    const pages = [join(ROOT, 'scripts/man.ts'), join(built, 'man')];
    await Promise.all([build, pages].map((script) => run(process.execPath, script, { cwd: ROOT })));
    project.provide('built', { binary: join(built, 'bin/proc.js') });
  } catch (thrown) {
    // A failed build fails only the tests that need the binary.
    const said = String((thrown as { stderr?: string }).stderr ?? thrown);
    project.provide('built', { failure: said.split('\n').slice(0, 12).join('\n') });
  }
  return () => rm(folder, { recursive: true, force: true });
}
