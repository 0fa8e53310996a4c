import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config-file.ts';
import { updateConfig } from '../../../src/config/write-config.ts';
import { errorOf, freshWorld, type World } from './world.ts';

const STORE = pathToFileURL(join(import.meta.dirname, '../../../src/config/write-config.ts')).href;

/**
 * Runs in a process of its own. Adds profiles `NAME-0`, `NAME-1` and so on, one write each, and waits for the lock as
 * long as the others need.
 */
const SCRIPT = `
  const { updateConfig } = await import('${STORE}');
  const [name, count] = process.argv.slice(1);
  for (let index = 0; index < Number(count); index++) {
    await updateConfig(process.env, (draft) => {
      draft.profiles ??= {};
      draft.profiles[name + '-' + index] = { environments: {} };
    }, Infinity);
  }
`;

function adding(w: World, name: string, count: number) {
  const evaluate = ['--input-type=module', '--eval', SCRIPT];
  return execa(process.execPath, [...evaluate, name, String(count)], {
    env: { ...w.env, PATH: process.env.PATH },
  });
}

const LOCK = '.config.json.lock';

/** Starts a process that locks the configuration until it is killed. Resolves when the lock is held. */
async function holding(w: World) {
  const script = `
    const { tryLock } = await import('${pathToFileURL(join(import.meta.dirname, '../../../src/store/database.ts')).href}');
    tryLock(process.argv[1]);
    console.log('held');
    setInterval(() => undefined, 1000);
  `;
  const evaluate = ['--input-type=module', '--eval', script];
  const child = execa(process.execPath, [...evaluate, join(dirname(w.configFile), LOCK)]);
  await once(child.stdout, 'data');
  return async () => {
    child.kill('SIGKILL');
    await child.catch(() => undefined);
  };
}

const change = (w: World, waitMs?: number) =>
  updateConfig(
    w.env,
    (draft) => {
      draft.profile = 'json';
    },
    waitMs,
  );

it('processes that write at once lose nothing', async () => {
  const w = freshWorld();
  const names = ['a', 'b', 'c'];
  await Promise.all(names.map((name) => adding(w, name, 20)));
  const expected = names.flatMap((name) => Array.from({ length: 20 }, (_, i) => `${name}-${i}`));
  expect(Object.keys(readConfig(w.env).profiles ?? {}).sort()).toEqual(expected.sort());
  expect(readdirSync(dirname(w.configFile)).sort()).toEqual([LOCK, 'config.json']);
});

it('a process killed while it holds the lock blocks no later write', async () => {
  const w = freshWorld();
  w.config({});
  await (await holding(w))();
  await change(w);
  expect(readConfig(w.env).profile).toBe('json');
});

it('proc waits for the lock of a living process, and then names it', async () => {
  const w = freshWorld();
  w.config({});
  const release = await holding(w);
  const error = await errorOf(() => change(w, 100));
  expect(error).toMatchObject({ code: 'state_unwritable', exitCode: 3 });
  expect(error.hint).toContain(join(dirname(w.configFile), LOCK));
  const waiting = change(w);
  await release();
  await waiting;
  expect(readConfig(w.env).profile).toBe('json');
});
