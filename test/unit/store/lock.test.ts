import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/core/time/clock.ts';
import { isLocked, lockWithin, tryLock } from '../../../src/store/lock.ts';
import { freshFolder } from '../../support/sandbox.ts';

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
