import { expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { startPty } from '../support/pty.ts';
import { freshWorld, type World } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { startTerminal, type TerminalSession } from '../support/terminal.ts';

const KEY = 'proc-sandbox-key';
const CTRL_C = '\u0003';

type Steps = readonly (readonly [string, string])[];

async function play(session: TerminalSession, steps: Steps): Promise<void> {
  for (const [shown, keys] of steps) {
    await session.waitFor(shown);
    session.type(keys);
  }
}

async function atSetup(start: typeof startTerminal = startTerminal) {
  const { baseUrl } = await startTestSandbox();
  const world = await freshWorld();
  const session = start(world, ['setup'], { cols: 120 });
  const upToKey: Steps = [
    ['Name of the profile', 'acme\r'],
    // A second Enter must not select production.
    ['Which environment?', '\r'],
    ['Base URL of staging', `${baseUrl}\r`],
  ];
  return { world, session, upToKey };
}

async function profiles(world: World): Promise<unknown> {
  return JSON.parse((await world.run(['profile', 'list', '-o', 'json'])).stdout);
}

it('asks again for a key that the service rejects, and never shows one', async () => {
  const { world, session, upToKey } = await atSetup(startPty);
  await play(session, [
    ...upToKey,
    ['API key for', 'canary-key\r'],
    ['The service does not accept this key. Type it again', ''],
    ['API key for', `${KEY}\r`],
    ['The service responded; the key works.', ''],
    ['Stored. Next, run: proc orders list -p acme -e staging', ''],
  ]);
  expect(await session.exited, session.text()).toBe(0);
  expect(session.text()).not.toMatch(/canary|proc-sandbox-key/);
  expect(await profiles(world)).toContainEqual(
    expect.objectContaining({ profile: 'acme', environments: ['staging'] }),
  );
});

it('never preselects production, and adds an environment to a profile', async () => {
  const { world, session, upToKey } = await atSetup();
  await play(session, [...upToKey, ['API key for', `${KEY}\r`]]);
  expect(await session.exited, session.text()).toBe(0);
  const second = startTerminal(world, ['setup'], { cols: 120 });
  await play(second, [
    ['Name of the profile', 'acme\r'],
    ['Add another environment to it?', '\r'],
    ['Which environment?', ''],
  ]);
  second.type('\r');
  await second.waitFor('Base URL of local');
});

it('left before the end, it has stored nothing, and says so', async () => {
  const { world, session, upToKey } = await atSetup();
  await play(session, [...upToKey, ['API key for', '']]);
  session.type(CTRL_C);
  await session.waitFor('Nothing was stored.');
  expect(await session.exited, session.text()).toBe(130);
  expect(await profiles(world)).toEqual([]);
});

it('asks again for what cannot be; a key that could not be checked is saved only if the user agrees', async () => {
  await using service = await startHostile((socket) => socket.end(http(500)));
  const world = await freshWorld();
  const CTRL_U = '\u0015';
  for (const [answer, count] of [
    ['n\r', 0],
    ['y\r', 1],
  ] as const) {
    const session = startTerminal(world, ['setup', '--retries', '0'], { cols: 120 });
    await play(session, [
      ['Name of the profile', 'a b\r'],
      ['is not a valid', `${CTRL_U}acme\r`],
      ['Which environment?', '\r'],
      ['Base URL of staging', 'nonsense\r'],
      ['must begin with https://', `${CTRL_U}http://a.example/api/v1\r`],
      ['unencrypted', `${CTRL_U}${service.origin}\r`],
      [service.baseUrl, `${CTRL_U}${service.baseUrl}\r`],
      ['API key for', 'canary-key\r'],
      ['Save it anyway?', answer],
    ]);
    expect(await session.exited, session.text()).toBe(0);
    expect(session.text()).not.toContain('canary');
    expect(await profiles(world)).toHaveLength(count);
  }
});
