import { expect, it, onTestFinished } from 'vitest';
import { openSender } from '../../../src/cli/wire/create-ports.ts';
import { createDestination } from '../../../src/cli/wire/destination.ts';
import type { IoPort, SelfPort } from '../../../src/core/ports.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { createItem, listItems } from '../../../src/nouns/items/index.ts';
import { confirm } from '../../../src/write.ts';
import { loggedSandbox } from '../../support/service.ts';
import { errorOf, freshWorld } from '../config/world.ts';

const BODY = { name: 'Bolt', code: 'B-1' };

/** Tries every port that can reach the service, without the check that commands make first. */
it.each([
  ['a read-only target', { readOnly: true }, false],
  ['a dry run', {}, true],
])('a command that forgets to ask sends no write: %s', async (_, setting, isPreview) => {
  const sandbox = await loggedSandbox();
  onTestFinished(() => sandbox.close());
  const w = freshWorld();
  const environment = { baseUrl: sandbox.baseUrl, ...setting };
  w.config({ profile: 'p', profiles: { p: { environments: { e: environment } } } });
  const { PROC_API_KEY } = sandbox.target;
  const self = {
    flags: { timeoutMs: 5000, retries: 0, verbose: false, env: 'e', profile: 'p' },
    env: { ...w.env, PROC_API_KEY },
    cwd: w.cwd,
    clock: systemClock,
    signal: new AbortController().signal,
  } as unknown as SelfPort;
  const io = { streams: process, terminal: {}, say: () => undefined } as unknown as IoPort;
  const destination = createDestination({ io, self }, isPreview);
  onTestFinished(() => destination.close());
  const target = await destination.target();

  const refused = { code: 'read_only', exitCode: 3 };
  const sender = await openSender(destination, self, { connections: 2 });
  const ways: Record<string, () => unknown> = {
    call: () => destination.callAt(target, createItem, { body: BODY }),
    sender: () => sender.send(createItem, { body: BODY }),
    poster: () =>
      sender.poster(createItem)(
        JSON.stringify(BODY),
        () => undefined,
        () => true,
      ),
  };
  if (!isPreview)
    ways['an import'] = () => confirm({ what: 'create', weight: 'bulk' }, target, {} as never);
  for (const [name, way] of Object.entries(ways)) {
    expect(await errorOf(way), name).toMatchObject(refused);
  }
  expect(await destination.callAt(target, listItems, { query: {} })).toBeInstanceOf(Array);
  expect(await sender.send(listItems, { query: {} })).toMatchObject({ kind: 'done' });
  expect(sandbox.writes()).toEqual([]);
  expect(sandbox.requests.length).toBe(2);
});
