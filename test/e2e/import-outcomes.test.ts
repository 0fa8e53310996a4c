import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf, openWorld, type Ran, type World } from '../support/run.ts';
import { codes, type ItemService, itemService, rowsOf } from './import-service.ts';

let world: World & AsyncDisposable;
let files = 0;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

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

function resuming(service: ItemService, ...args: string[]): Promise<Ran> {
  return world.run(['imports', 'resume', 'PROC_SETTLE=300ms', ...args], {
    env: envOf(service),
  });
}

describe.concurrent('what each response means', () => {
  it('400, 404, 422: rejected with status and reason, the others continue, exit 8', async () => {
    await using service = await itemService((code) =>
      code === 'X-0003' ? { status: 422, body: { message: 'unknown unit' } } : undefined,
    );
    const ran = await importing(service, codes(10));
    expect(ran.exitCode).toBe(8);
    const summary = JSON.parse(ran.stdout);
    expect(summary).toMatchObject({ rows: 10, created: 9, rejected: 1 });
    const rejected = await readFile(summary.rejectedFile, 'utf8');
    expect(rejected.split('\n')[1]).toBe('X-0003,Row X-0003,4,unknown unit');
  });

  it('401: stops, the row stays pending, exit 10; a resume completes it', async () => {
    let isLocked = true;
    await using service = await itemService((_, nth) =>
      isLocked && nth > 4 ? { status: 401 } : undefined,
    );
    const ran = await importing(service, codes(40));
    expect(ran.exitCode).toBe(10);
    const summary = JSON.parse(ran.stdout);
    expect(summary).toMatchObject({ rejected: 0, unconfirmed: 0 });
    expect(summary.created + summary.pending).toBe(40);
    expect(summary.pending).toBeGreaterThan(0);
    const error = errorOf(ran);
    expect(error).toMatchObject({ code: 'incomplete', details: { run: summary.run } });
    expect(error.message).toMatch(/^stopped: /);
    expect(error.hint).toContain(`proc imports resume ${summary.run}`);
    isLocked = false;
    const resumed = await resuming(service);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ created: 40, pending: 0 });
    expect(resumed.exitCode).toBe(0);
    expect(service.codes()).toEqual(codes(40));
  });

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

  it('429 with Retry-After: nothing is sent before its time, and nothing is lost', async () => {
    const arrivals: number[] = [];
    await using service = await itemService((_, nth) => {
      arrivals.push(performance.now());
      return nth === 10 ? { status: 429, headers: { 'retry-after': '1' } } : undefined;
    });
    const ran = await importing(service, codes(30), 'PROC_CONCURRENCY=1');
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 30, pending: 0 });
    expect(arrivals[10]! - arrivals[9]!).toBeGreaterThanOrEqual(990);
  });

  it('a Retry-After longer than the patience ends the run although other rows succeed after it', async () => {
    await using service = await itemService((_, nth) =>
      nth === 3 ? { status: 429, headers: { 'retry-after': '3600' } } : undefined,
    );
    const ran = await importing(service, codes(30), 'PROC_PATIENCE=5s');
    expect(ran.exitCode).toBe(10);
    expect(JSON.parse(ran.stdout).stopped).toMatch(
      /429 and asks to wait \d+ s, longer than proc waits$/,
    );
  });
});

describe.concurrent('a lost response', () => {
  it.each([
    ['a reset', { reset: true }],
    ['a 500', { status: 500 }],
    ['a 201 without an id', { body: {} }],
    ['a response that is no JSON', { body: '<html>' }],
  ] as const)('%s after the item was stored: found, and not sent again', async (_, fate) => {
    await using service = await itemService((code) =>
      code.endsWith('5') ? { ...fate, stored: true } : undefined,
    );
    const ran = await importing(service, codes(30));
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 30, unconfirmed: 0 });
    expect(service.codes()).toEqual(codes(30));
    expect(service.creates()).toBe(30);
  });

  it('before it was stored: proved absent, and sent again', async () => {
    const seen = new Set<string>();
    await using service = await itemService((code) => {
      const isFirst = !seen.has(code);
      seen.add(code);
      return code.endsWith('5') && isFirst ? { status: 502 } : undefined;
    });
    const ran = await importing(service, codes(30));
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 30, unconfirmed: 0 });
    expect(service.codes()).toEqual(codes(30));
    expect(service.creates()).toBe(33);
  });

  it('a row that fails every time is rejected in the end, not sent forever', async () => {
    await using service = await itemService((code) =>
      code === 'X-0002' ? { status: 500, body: { message: 'boom' } } : undefined,
    );
    const ran = await importing(service, codes(4), 'PROC_SETTLE=1ms');
    expect(ran.exitCode).toBe(8);
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 3, rejected: 1 });
    expect(service.creates()).toBe(8);
  });
});
