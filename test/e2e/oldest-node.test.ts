import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { binary } from '../support/run.ts';

it('the program is built for the oldest Node: it holds no `using`, which Node 22 cannot read', () => {
  const dist = join(binary(), '../../dist');
  const newer = readdirSync(dist)
    .filter((file) => file.endsWith('.cjs'))
    .filter((file) => /^\s*(?:await )?using \w+ =/m.test(readFileSync(join(dist, file), 'utf8')));
  expect(newer).toEqual([]);
});
