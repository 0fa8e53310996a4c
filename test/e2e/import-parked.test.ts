import { expect, it } from 'vitest';
import { freshWorld } from '../support/run.ts';
import { itemService, rowsOf } from './import-service.ts';

const QUICK = ['--tune', 'settle=1ms', '--timeout', '5s'];

it('a resume looks up again what no look-up could decide', async () => {
  await using service = await itemService((code) => {
    if (code !== 'B-2') return undefined;
    service.items.push({ id: 'twin', code, name: 'Made by somebody else meanwhile' });
    return { reset: true, stored: true };
  });
  const world = await freshWorld(service.target);
  await world.file('a.csv', rowsOf(['A-1', 'B-2', 'C-3']));
  const ran = await world.run(['items', 'import', 'a.csv', '--yes', ...QUICK]);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
  expect(JSON.parse(ran.stdout)).toMatchObject({ created: 2, unconfirmed: 1 });
  service.items.splice(
    service.items.findIndex(({ id }) => id === 'twin'),
    1,
  );
  const resumed = await world.run(['imports', 'resume', '--yes', ...QUICK]);
  expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(resumed.stdout)).toMatchObject({ created: 3, unconfirmed: 0 });
  expect(service.creates()).toBe(3);
});
