import { expect, it } from 'vitest';
import { freshWorld } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { codes, rowsOf } from './import-service.ts';

it('a service that allows 200 requests a second: at least 90 % of that, at most 5 % turned away', async () => {
  const world = await freshWorld();
  await using sandbox = await loggedSandbox({ faults: 'rate=200/s' });
  const count = 2_000;
  const file = await world.file('paced.csv', rowsOf(codes(count)));
  const ran = await world.run(['items', 'import', file, '--yes'], { env: sandbox.target });
  const summary = JSON.parse(ran.stdout);
  expect(summary).toMatchObject({ created: count, rejected: 0, unknown: 0 });
  const turnedAway = sandbox.writes().filter(({ status }) => status === 429).length;
  expect(turnedAway / sandbox.writes().length).toBeLessThanOrEqual(0.05);
  // The service's own measure of time, as it counts what it lets through; one second is saved up.
  expect(count / summary.seconds).toBeGreaterThanOrEqual(0.9 * 200);
}, 120_000);
