import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config-file.ts';
import { updateConfig } from '../../../src/config/write-config.ts';
import { errorOf, freshWorld, type World } from './world.ts';

const SRC = join(import.meta.dirname, '../../../src');
const LOCK = '.config.json.lock';

/** A process of its own, whose words the script has as `words`. */
function started(w: World, script: string, ...words: readonly string[]) {
  const whole = `const words = process.argv.slice(1);\n${script}`;
  const env = { ...w.env, PATH: process.env.PATH };
  return execa(process.execPath, ['--input-type=module', '--eval', whole, ...words], { env });
}

it('processes that write at once lose nothing', async () => {
  const w = freshWorld();
  // One write for each profile, which waits for the lock as long as the others need.
  const script = `
    const { updateConfig } = await import('${SRC}/config/write-config.ts');
    for (let n = 0; n < 8; n++) await updateConfig(process.env, (draft) => {
      (draft.profiles ??= {})[words[0] + '-' + n] = { environments: {} };
    }, Infinity);`;
  await Promise.all(['a', 'b'].map((name) => started(w, script, name)));
  expect(Object.keys(readConfig(w.env).profiles ?? {})).toHaveLength(16);
  expect(readdirSync(dirname(w.configFile)).sort()).toEqual([LOCK, 'config.json']);
});

it('proc waits for the lock of a living process, and then names it; once that is killed, it goes on', async () => {
  const w = freshWorld();
  w.config({});
  const path = join(dirname(w.configFile), LOCK);
  const script = `
    const { tryLock } = await import('${SRC}/store/database.ts');
    tryLock(words[0]);
    console.log('held');
    setInterval(() => undefined, 1000);`;
  const holder = started(w, script, path);
  await once(holder.stdout, 'data');
  const change = (waitMs?: number) =>
    updateConfig(w.env, (draft) => Object.assign(draft, { profile: 'json' }), waitMs);
  const error = await errorOf(() => change(100));
  expect(error).toMatchObject({ code: 'state_unwritable', exitCode: 3 });
  expect(error.hint).toContain(path);
  const waiting = change();
  holder.kill('SIGKILL');
  await holder.catch(() => undefined);
  await waiting;
  expect(readConfig(w.env).profile).toBe('json');
});
