import { expect, it } from 'vitest';
import { startOutOfStep } from '../support/out-of-step.ts';
import { freshWorld } from '../support/run.ts';

it('a row that the last look-up finds absent is sent again', async () => {
  await using service = await startOutOfStep({
    seed: 1,
    listMs: 200,
    script: (code, nth) => (code === 'C-0' && nth === 1 ? 'cut' : undefined),
  });
  const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k-1' });
  const items = Array.from({ length: 40 }, (_, at) => ({ code: `C-${at}`, name: `item ${at}` }));
  await world.file('items.ndjson', items.map((item) => JSON.stringify(item)).join('\n'));
  const ran = await world.run([
    ...['items', 'import', 'items.ndjson', '--yes', 'PROC_SETTLE=100ms', '--rate', '22'],
  ]);
  expect(ran.exitCode).toBe(0);
  expect(service.story.get('C-0')).toEqual(['cut', '201']);
});
