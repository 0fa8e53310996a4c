import { expect, it } from 'vitest';
import { startPty } from '../support/pty.ts';
import { freshWorld, type World } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { screenOf } from '../support/screen.ts';
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
    ['Add another environment?', 'n\r'],
  ]);
  expect(await session.exited, session.text()).toBe(0);
  expect(session.text()).not.toMatch(/canary|proc-sandbox-key/);
  expect(await profiles(world)).toContainEqual(
    expect.objectContaining({ profile: 'acme', environments: ['staging'] }),
  );
});

it('never preselects production, not even for the second environment', async () => {
  const { session, upToKey } = await atSetup();
  await play(session, [
    ...upToKey,
    ['API key for', `${KEY}\r`],
    ['Add another environment?', 'y\r'],
    ['Which environment?', ''],
    ['production', ''],
  ]);
  const screen = screenOf(session.text(), 120);
  const list = screen.slice(screen.lastIndexOf('Which environment?'));
  expect(list).toMatch(/^. *local$/m);
  session.type('\r');
  await session.waitFor('Base URL of local');
});

it.each([
  ['before anything was stored', [['API key for', '']], 'Nothing was stored.'],
  [
    'with one environment stored',
    [
      ['API key for', `${KEY}\r`],
      ['Add another environment?', 'y\r'],
      ['Which environment?', '\r'],
      ['Base URL of local', ''],
    ],
    'Stored so far: acme/staging (with its key). To continue, run: proc setup',
  ],
  [
    'with one environment stored without a key',
    [
      ['API key for', '\r'],
      ['Add another environment?', ''],
    ],
    'Stored so far: acme/staging (without a key). To continue, run: proc setup',
  ],
] as [string, Steps, string][])('left %s it says what is stored', async (_, steps, said) => {
  const { world, session, upToKey } = await atSetup();
  await play(session, [...upToKey, ...steps]);
  session.type(CTRL_C);
  await session.waitFor(said);
  expect(await session.exited, session.text()).toBe(130);
  const stored = JSON.stringify(await profiles(world)).includes('"acme"');
  expect(stored).toBe(said.startsWith('Stored'));
});
