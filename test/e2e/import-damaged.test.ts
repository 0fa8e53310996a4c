import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld } from '../support/run.ts';

assumeFirstRuns();

const REQUISITION = (title: string) => ({
  title,
  groups: [{ deliveryMethod: 'pickup', items: [{ quantity: 1, item: { name: 'Bolt' } }] }],
});

type Noun = readonly [string, string, (key: string) => object, string];

const NOUNS: readonly Noun[] = [
  ['items', 'code', (key: string) => ({ code: key, name: 'n' }), 'id'],
  [
    'imputations',
    'reference',
    (key: string) => ({ reference: key, amount: 1, contractId: 'c' }),
    'id',
  ],
  ['requisition', 'title', REQUISITION, 'requisitionId'],
];

const KEYS = ['D-1', 'D-2', 'D-3', 'D-4', 'D-5', 'D-6'];

/** A run that stopped at a 401 after two rows, with its file damaged. */
async function place([noun, field, body, id]: Noun) {
  const stored: Record<string, unknown>[] = [];
  let isKeyGood = false;
  const service = await startHostile((socket, { method, body: text }) => {
    if (method === 'GET') return void socket.write(http(200, JSON.stringify(stored)));
    if (!isKeyGood && stored.length === 2) return void socket.write(http(401, '{}'));
    const record = { ...JSON.parse(text), [id]: `x-${stored.length}` };
    stored.push(record);
    socket.write(http(201, JSON.stringify(record)));
  });
  const dialect = { PROC_LIST_NAMES: 'paging=none' };
  const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k', ...dialect });
  const lines = KEYS.map((key) => JSON.stringify(body(key)));
  await world.file('rows.ndjson', `${lines.join('\n')}\n`);
  const flags = ['--yes', 'PROC_CONCURRENCY=1'];
  const ran = await world.run([noun, 'import', 'rows.ndjson', ...flags]);
  expect(ran.exitCode, ran.stderr).toBe(10);
  const [{ run }] = JSON.parse((await world.run(['imports', 'list'])).stdout);
  isKeyGood = true;
  return {
    world,
    run: run as string,
    file: join(world.stateDir, 'imports', `${run}.db`),
    keys: () => stored.map((one) => one[field]).sort(),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

describe.each(NOUNS)('a damaged run of %s', (...noun) => {
  it('has a hint that is true', async () => {
    await using here = await place(noun);
    await writeFile(here.file, 'no database');
    const { hint = '' } = errorOf(await here.world.run(['imports', 'resume', here.run, '--yes']));
    expect(hint).toContain(
      `remove this file, then record the outcome of its rows: proc imports resolve ${here.run}`,
    );
    expect(hint).toContain('and items by their codes');
    await rm(here.file);
    const resolve = ['imports', 'resolve', here.run, '--resend', '--again', '--all', '--yes'];
    const resolved = await here.world.run(resolve);
    expect(resolved.exitCode, resolved.stderr).toBe(0);
    await here.world.run(['imports', 'resume', here.run, '--yes']);
    const again = [noun[0], 'import', 'rows.ndjson', '--yes', 'PROC_CONCURRENCY=1'];
    const stopped = await here.world.run(again);
    if (stopped.exitCode !== 0) {
      expect(errorOf(stopped).hint).toContain('--on-sent skip');
      await here.world.run([...again, '--on-sent', 'skip']);
    }
    // One row was under way when its 401 came back: the ledger counts it as sent or not, but never twice.
    expect(new Set(here.keys()).size).toBe(here.keys().length);
    expect(here.keys()).toEqual(KEYS);
  });

  it('without the ledger it says what proc can still recognize', async () => {
    await using here = await place(noun);
    await rm(join(here.world.stateDir, 'ledger.db'));
    const { hint = '' } = errorOf(await here.world.run(['imports', 'resume', here.run, '--yes']));
    expect(hint).toMatch(/^Restore the state folder\. Or remove this file/);
    expect(hint).toContain('and items by their codes');
  });
});
