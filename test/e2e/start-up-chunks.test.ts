import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { binary } from '../support/built.ts';

const folder = mkdtempSync(join(tmpdir(), 'proc-chunks-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files of dist/ that a command line loads, without the hashes in their names. */
function loadedBy(...argv: string[]): string[] {
  const spy = join(folder, 'spy.cjs');
  writeFileSync(
    spy,
    `process.on('exit', () => {
      const files = Object.keys(require.cache).map((file) => require('node:path').basename(file));
      process.stderr.write('LOADED ' + JSON.stringify(files.filter((file) => file.endsWith('.cjs'))) + '\\n');
    });`,
  );
  const out = execFileSync(
    'sh',
    ['-c', '"$0" "$@" 2>&1', process.execPath, '-r', spy, binary(), ...argv],
    {
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        PROC_CONFIG_DIR: folder,
        PROC_STATE_DIR: folder,
      },
    },
  );
  const files = JSON.parse(/^LOADED (.*)$/m.exec(out)![1]!) as string[];
  return files
    .map((file) => file.replace(/-[\w-]{8}\.cjs$/, '.cjs'))
    .filter((file) => file !== 'spy.cjs');
}

it.each(['--version', '--help'])('proc %s loads its own chunk and nothing heavier', (flag) => {
  expect(loadedBy(flag).sort()).toEqual(['base.cjs', 'main.cjs']);
});
