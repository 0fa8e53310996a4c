import { describe, expect, it } from 'vitest';
import { openWorld } from '../support/run.ts';
import { codes, type ItemService, itemService, rowsOf } from './import-service.ts';

const world = await openWorld();
let files = 0;

/** These tests run concurrently, so each service has its own state folder. */
const envOf = ({ target, name }: ItemService) => ({
  ...target,
  PROC_STATE_DIR: `${world.folder}/${name}`,
});

async function importing(service: ItemService, rows: readonly string[], ...args: string[]) {
  const file = await world.file(`rows-${++files}.csv`, rowsOf(rows));
  const settle = args.some((one) => one.startsWith('PROC_SETTLE=')) ? [] : ['PROC_SETTLE=300ms'];
  const flags = ['--yes', ...settle, '--timeout', '5s', ...args];
  return world.run(['items', 'import', file, ...flags], { env: envOf(service) });
}

describe.concurrent('what each response means', () => {
  it('403: rejects the row; stops if the first 20 are all 403', async () => {
    await using one = await itemService((code) =>
      code === 'X-0007' ? { status: 403 } : undefined,
    );
    expect(JSON.parse((await importing(one, codes(40))).stdout)).toMatchObject({
      created: 39,
      rejected: 1,
    });
    await using all = await itemService(() => ({ status: 403 }));
    const ran = await importing(all, codes(500), 'PROC_CONCURRENCY=4');
    expect(ran.exitCode).toBe(10);
    expect(JSON.parse(ran.stdout).pending).toBeGreaterThan(400);
    expect(all.creates()).toBeLessThan(40);
  });
});

describe.concurrent('a lost response', () => {
  it('a row that fails every time is rejected in the end, not sent forever', async () => {
    await using service = await itemService((code) =>
      code === 'X-0002' ? { status: 500, body: { message: 'boom' } } : undefined,
    );
    const ran = await importing(service, codes(4), 'PROC_SETTLE=1ms');
    expect(ran.exitCode).toBe(8);
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 3, rejected: 1 });
    expect(service.creates()).toBe(8);
    const rows = ['imports', 'rows', '--state', 'rejected', '-q', '[].reason'];
    expect((await world.run(rows, { env: envOf(service) })).stdout).toContain('boom');
  });
});
