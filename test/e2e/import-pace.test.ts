import { expect, it } from 'vitest';
import { freshWorld } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { codes, rowsOf } from './import-service.ts';

it('a service with a rate limit gets every row, and rejects few', async () => {
  const world = await freshWorld();
  await using sandbox = await loggedSandbox({ faults: 'rate=400/s' });
  const count = 1_200;
  const file = await world.file('paced.csv', rowsOf(codes(count)));
  const ran = await world.run(['items', 'import', file, '--yes'], { env: sandbox.target });
  const summary = JSON.parse(ran.stdout);
  expect(summary).toMatchObject({ created: count, rejected: 0, unconfirmed: 0 });
  const turnedAway = sandbox.writes().filter(({ status }) => status === 429).length;
  expect(turnedAway / sandbox.writes().length).toBeLessThanOrEqual(0.05);
});
