import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/core/time.ts';
import { isLocked, lockWithin, tryLock } from '../../../src/store/database.ts';
import { freshFolder } from '../../support/sandbox.ts';

const LOCK_MODULE = pathToFileURL(join(import.meta.dirname, '../../../src/store/database.ts')).href;

it('is held by one process, and by the next once it is released', async () => {
  const path = join(await freshFolder(), 'a.lock');
  const first = tryLock(path);
  expect(first).toBeDefined();
  expect(isLocked(path)).toBe(true);
  expect(tryLock(path)).toBeUndefined();
  first!.release();
  expect(isLocked(path)).toBe(false);
  const second = tryLock(path);
  expect(second).toBeDefined();
  second!.release();
});

it('may be shared by many, and is then exclusive for nobody', async () => {
  const path = join(await freshFolder(), 'a.lock');
  const readers = [tryLock(path, { isShared: true }), tryLock(path, { isShared: true })];
  expect(readers).not.toContain(undefined);
  expect(tryLock(path)).toBeUndefined();
  for (const reader of readers) reader!.release();
  const alone = tryLock(path);
  expect(alone).toBeDefined();
  expect(tryLock(path, { isShared: true })).toBeUndefined();
  alone!.release();
});

it('can be waited for', async () => {
  const path = join(await freshFolder(), 'a.lock');
  const first = tryLock(path)!;
  const waiting = { clock: systemClock, everyMs: 5 };
  expect(await lockWithin(path, 20, waiting)).toBeUndefined();
  const second = lockWithin(path, 60_000, waiting);
  first.release();
  (await second)!.release();
});

it('is held until it is released, even if the program keeps no reference to it', async () => {
  const path = join(await freshFolder(), 'a.lock');
  const script = `
    const { tryLock } = await import('${LOCK_MODULE}');
    tryLock(process.argv[1]);
    // The collector closes an unreferenced database only once its creator has returned.
    await new Promise((resolve) => setTimeout(resolve, 1));
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 1));
    console.log('collected');
    setInterval(() => undefined, 1000);
  `;
  const flags = ['--expose-gc', '--input-type=module', '--eval'];
  const child = execa(process.execPath, [...flags, script, path], { reject: false });
  try {
    const [printed] = await once(child.stdout, 'data');
    expect(String(printed)).toBe('collected\n');
    expect(isLocked(path)).toBe(true);
  } finally {
    child.kill('SIGKILL');
    await child;
  }
});
