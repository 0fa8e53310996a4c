import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { binary } from '../support/built.ts';
import { errorOf, freshWorld } from '../support/run.ts';

it.each([
  ['', {}, true],
  ['-o csv', {}, true],
  ['', { PROC_OUTPUT: 'table' }, false],
])(
  'with a Node that is too old, proc %s with %j says so as JSON: %s',
  async (words, env, isJson) => {
    const world = await freshWorld();
    const older = join(world.folder, 'older.cjs');
    await writeFile(
      older,
      `Object.defineProperty(process.versions, 'node', { value: '18.20.8' });`,
    );
    const ran = await world.shell(`"${process.execPath}" -r "${older}" "${binary()}" ${words}`, {
      env,
    });
    expect(ran.exitCode).toBe(2);
    if (isJson) expect(errorOf(ran)).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
    else expect(ran.stderr).toBe('error: proc needs Node.js 22.19 or newer, this is 18.20.8\n');
  },
);
