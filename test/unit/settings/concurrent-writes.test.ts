import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/settings/read/file.ts';
import { withLock } from '../../../src/settings/write/file-lock.ts';
import { updateConfig } from '../../../src/settings/write/update-config.ts';
import { errorOf, freshWorld, type World } from './world.ts';

const STORE = pathToFileURL(
  join(import.meta.dirname, '../../../src/settings/write/update-config.ts'),
).href;

/** A process of its own: adds profiles `NAME-0` … `NAME-<count - 1>`, one write each. */
const SCRIPT = `
  const { updateConfig } = await import('${STORE}');
  const [name, count] = process.argv.slice(1);
  for (let index = 0; index < Number(count); index++) {
    await updateConfig(process.env, (draft) => {
      draft.profiles ??= {};
      draft.profiles[name + '-' + index] = { environments: {} };
    });
  }
`;

function adding(w: World, name: string, count: number) {
  const evaluate = ['--import', 'tsx', '--input-type=module', '--eval', SCRIPT];
  return execa(process.execPath, [...evaluate, name, String(count)], {
    env: { ...w.env, PATH: process.env.PATH },
  });
}

/** The id of a process that has ended. */
async function deadProcess(): Promise<number> {
  const child = execa(process.execPath, ['-e', '0']);
  const { pid } = child;
  await child;
  return pid!;
}

describe('two processes writing at once', () => {
  it('lose nothing', async () => {
    const w = freshWorld();
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(names.map((name) => adding(w, name, 25)));
    const expected = names.flatMap((name) => Array.from({ length: 25 }, (_, i) => `${name}-${i}`));
    expect(Object.keys(readConfig(w.env).profiles ?? {}).sort()).toEqual(expected.sort());
    expect(readdirSync(dirname(w.configFile))).toEqual(['config.json']);
  });

  it('lose nothing where a process died with the lock', async () => {
    const w = freshWorld();
    w.config({});
    writeFileSync(`${w.configFile}.lock`, `${hostname()} ${await deadProcess()} dead-token`);
    await Promise.all(['a', 'b', 'c'].map((name) => adding(w, name, 10)));
    expect(Object.keys(readConfig(w.env).profiles ?? {})).toHaveLength(30);
    expect(readdirSync(dirname(w.configFile))).toEqual(['config.json']);
  });
});

it('a lock of nobody, as a killed process could leave it, blocks no later write', async () => {
  const w = freshWorld();
  w.config({});
  writeFileSync(`${w.configFile}.lock`, '');
  await updateConfig(w.env, (draft) => {
    draft.output = 'json';
  });
  expect(readConfig(w.env).output).toBe('json');
  expect(readdirSync(dirname(w.configFile))).toEqual(['config.json']);
});

describe('the lock', () => {
  it.each([
    ['of a living process', `${hostname()} ${process.pid} token`],
    ['of another machine', 'elsewhere 1 token'],
    ['of nobody known', ''],
  ])('%s is waited for, and then named', async (_title, content) => {
    const w = freshWorld();
    mkdirSync(join(w.home, 'config'));
    const path = `${w.configFile}.lock`;
    writeFileSync(path, content);
    const error = await errorOf(() => withLock(path, () => 'never', 100));
    expect(error).toMatchObject({ code: 'state_unwritable', exitCode: 3 });
    expect(error.hint).toContain(path);
    const waiting = updateConfig(w.env, (draft) => {
      draft.output = 'json';
    });
    rmSync(path);
    await waiting;
    expect(readConfig(w.env).output).toBe('json');
  });
});
