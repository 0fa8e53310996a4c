import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SANDBOX_KEYS } from '../../src/sandbox/server/sandbox-keys.ts';
import { startSandbox } from '../../src/sandbox/server/server.ts';
import { always, http, startHostile, targetOf } from '../support/hostile-service.ts';
import { assumeFirstRuns, runHere } from '../support/in-process.ts';
import { errorOf, freshWorld } from '../support/run.ts';
import { codes, rowsOf } from './import-service.ts';

assumeFirstRuns();

const HOUR = 3_600_000;

const wallTime = Date.now;

function setClock(off: number): void {
  vi.spyOn(Date, 'now').mockImplementation(() => wallTime() + off);
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a wall clock that changes while an import runs', () => {
  // The service loses every response, and applies each request half a second later. If proc looked a
  // row up before that, it would not find the row and would send it again.
  it.each([HOUR, -HOUR])('by %d ms: each row once, and no row waits longer', async (off) => {
    const world = await freshWorld();
    await using sandbox = Object.assign(
      await startSandbox({
        db: join(world.folder, 'sandbox.db'),
        faults: 'reset-after=100%,late-commit=500ms',
        onRequest: ({ method }) => {
          if (method === 'POST') setClock(off);
        },
      }),
      { [Symbol.asyncDispose]: () => sandbox.close() },
    );
    const file = await world.file('rows.csv', rowsOf(codes(8)));
    const env = {
      ...world.env,
      PROC_BASE_URL: sandbox.baseUrl,
      PROC_API_KEY: SANDBOX_KEYS[0].apiKey,
    };
    const ran = await runHere(['items', 'import', file, '--yes', 'PROC_SETTLE=1s'], env);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 8, unconfirmed: 0 });
    using database = new DatabaseSync(join(world.folder, 'sandbox.db'), {
      readOnly: true,
    }) as DatabaseSync & Disposable;
    expect(database.prepare('SELECT count(*) AS n FROM items').get()).toEqual({ n: 8 });
  });
});

describe('PROC_PATIENCE limits the total time, whatever the responses say', () => {
  it.each([
    ['the plan', 'items'],
    ['look-ups of references', 'imputations'],
  ])('%s: a few requests, then exit 7', async (_, noun) => {
    const world = await freshWorld();
    await using service = await startHostile(always(http(429, '{}', { 'retry-after': '0' })));
    const file = await world.file(
      'rows.csv',
      noun === 'items' ? rowsOf(codes(3)) : 'order,amount\nPO-1,1\n',
    );
    const env = { ...world.env, ...targetOf(service) };
    const first = noun === 'items' ? [] : ['--first-run'];
    const flags = ['--yes', ...first, 'PROC_PATIENCE=1s'];
    const ran = await runHere([noun, 'import', file, ...flags], env);
    expect(errorOf(ran)).toMatchObject({ code: 'throttled', exitCode: 7 });
    expect(service.requests.length).toBeLessThan(10);
  });
});
