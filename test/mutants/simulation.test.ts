import { resolve } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import type { Fixed } from '../sim/stories/fixed.ts';

// Last, because it takes longest and executes most: see `vitest.config.ts`.
it('the stories that every change must pass keep every promise', async () => {
  const { stdout } = await execa(process.execPath, [resolve('test/sim/main.ts'), '--fixed']);
  const { seeds, regressions } = JSON.parse(stdout) as Fixed;
  const broken = Object.entries({ ...seeds, ...regressions }).filter(([, of]) => of.length > 0);
  expect(broken).toEqual([]);
});
