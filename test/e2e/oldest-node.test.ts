import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { atNight } from '../support/at-night.ts';
import { binary } from '../support/built.ts';
import { errorOf, freshWorld, ROOT } from '../support/run.ts';

const FOLDER = join(ROOT, 'test/oldest-node');
const NODE = join(FOLDER, 'node_modules/.bin/node');

it('is the oldest Node that the package promises', async () => {
  const { engines } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const world = await freshWorld();
  const { stdout } = await world.shell(`"${NODE}" --version`);
  expect(`>=${stdout.slice(1).trim()}`).toBe(`${engines.node}.0`);
});

const journey = atNight ? it : () => undefined;

journey('runs sandbox, lists, writes, an import and history', async () => {
  const world = await freshWorld();
  await world.file('items.csv', 'name,code\nBolt,B-1\nNut,N-1\nWasher,W-1\n');
  await world.file(
    'journey.sh',
    [
      'set -e',
      `proc orders list --limit 2 -o id`,
      `proc items create --name Ring --code R-1 -q code`,
      `proc items import items.csv --yes -o json`,
      `proc history list -q 'length(@)'`,
    ].join('\n'),
  );
  const ran = await world.shell(`"${NODE}" "${binary()}" sandbox exec -- sh journey.sh`);
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(ran.stdout).toContain('po-1\npo-2\n"R-1"\n');
  expect(ran.stdout).toContain('"created": 3');
});

it('reports an error in one line', async () => {
  const world = await freshWorld();
  const ran = await world.shell(`"${NODE}" "${binary()}" orders lst`);
  expect(ran.exitCode).toBe(2);
  expect(errorOf(ran).exitCode).toBe(2);
});
