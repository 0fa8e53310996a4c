import { expect, it } from 'vitest';
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
