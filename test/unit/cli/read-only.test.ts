import { expect, it, onTestFinished } from 'vitest';
import { createContext } from '../../../src/context.ts';
import { systemClock } from '../../../src/core/time.ts';
import { createItem, listItems } from '../../../src/nouns/items/index.ts';
import { confirm } from '../../../src/write.ts';
import { loggedSandbox } from '../../support/service.ts';
import { errorOf, freshWorld } from '../config/world.ts';

const BODY = { name: 'Bolt', code: 'B-1' };

/** Tries every way to reach the service, without the check that commands make first. */
it.each([
  ['a read-only target', { readOnly: true }, false],
  ['a dry run', {}, true],
])('a command that forgets to ask sends no write: %s', async (_, setting, dryRun) => {
  const sandbox = await loggedSandbox();
  onTestFinished(() => sandbox.close());
  const w = freshWorld();
  const environment = { baseUrl: sandbox.baseUrl, ...setting };
  w.config({ profile: 'p', profiles: { p: { environments: { e: environment } } } });
  const { PROC_API_KEY } = sandbox.target;
  const flags = { timeoutMs: 5000, retries: 0, verbose: false, env: 'e', profile: 'p' };
  const surroundings = {
    ...{ streams: process, env: { ...w.env, PROC_API_KEY }, cwd: w.cwd, clock: systemClock },
    ...{ typed: [], selfCommand: [], pid: 0, signal: new AbortController().signal },
    ...{ json: false, written: [] },
  };
  const spec = { path: ['items', 'create'] } as const;
  const ctx = createContext(surroundings, { ...flags, dryRun } as never, spec);
  onTestFinished(() => ctx.close());

  const refused = { code: 'read_only', exitCode: 3 };
  const sender = await ctx.http().sender(2);
  const ways: Record<string, () => unknown> = {
    call: () => ctx.http().call(createItem, { body: BODY }),
    sender: () => sender.send(createItem, { body: BODY }),
    poster: () =>
      sender.poster(createItem)(
        JSON.stringify(BODY),
        () => undefined,
        () => true,
      ),
  };
  if (!dryRun) ways['an import'] = () => confirm(ctx, 'bulk', 'create');
  for (const [name, way] of Object.entries(ways)) {
    expect(await errorOf(way), name).toMatchObject(refused);
  }
  expect(await ctx.http().call(listItems, { query: {} })).toBeInstanceOf(Array);
  expect(await sender.send(listItems, { query: {} })).toMatchObject({ kind: 'done' });
  expect(sandbox.writes()).toEqual([]);
  expect(sandbox.requests.length).toBe(2);
});
