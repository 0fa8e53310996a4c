import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Missing in the project `unit`. */
    built?: { readonly binary: string } | { readonly failure: string };
  }
}

const ROOT = resolve(import.meta.dirname, '../..');

let building: Promise<{ readonly binary: string } | { readonly failure: string }> | undefined;

/** Builds the program once for a test run, into a temporary folder: another build may replace `dist`. */
export default async function setup(project: TestProject): Promise<void> {
  building ??= build();
  project.provide('built', await building);
}

async function build() {
  try {
    const built = join(tmpdir(), 'built');
    await cp(join(ROOT, 'bin'), join(built, 'bin'), { recursive: true });
    const program = [join(ROOT, 'scripts/build.mjs'), join(built, 'dist')];
    await promisify(execFile)(process.execPath, program, { cwd: ROOT });
    return { binary: join(built, 'bin/proc.js') };
  } catch (thrown) {
    // A failed build fails only the tests that need the binary.
    const said = String((thrown as { stderr?: string }).stderr ?? thrown);
    return { failure: said.split('\n').slice(0, 12).join('\n') };
  }
}
