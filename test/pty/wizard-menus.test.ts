import { describe, expect, it } from 'vitest';
import type { Line, Sheet } from '../../src/compose/requisition-sheet.ts';
import { startPty } from '../support/pty.ts';
import { KEY, raw } from '../support/raw-http.ts';
import { screenOf } from '../support/screen.ts';
import { lastPayload, type ShopWorld, sharedShop } from '../support/shop.ts';
import { startTerminal } from '../support/terminal.ts';
import {
  CTRL_C,
  DOWN,
  drafts,
  expectRestored,
  play,
  type Steps,
  shows,
  startWizard,
  UP,
} from '../support/wizard.ts';

const shop = sharedShop();

const nut: Line = {
  quantity: 2,
  item: { kind: 'new', fields: { name: 'Nut', code: null, unitOfMeasure: null } },
};

const SHEET: Sheet = {
  title: 'Parts',
  type: null,
  sector: null,
  code: null,
  groups: ['Plant', 'Depot'].map((name) => ({
    name,
    deliveryMethod: 'pickup' as const,
    address: null,
    lines: [nut, { ...nut, quantity: 5 }],
    isComplete: true,
  })),
};

async function drafted(): Promise<ShopWorld> {
  const world = await shop.world();
  shop.draft(world, SHEET);
  return world;
}

const resume: Steps = [['You have a draft', '\r']];
const toGroup: Steps = [...resume, ['What now?', `${DOWN}\r`]];
const toLine: Steps = [...toGroup, ['What do you want to change in "Plant"?', `${DOWN}\r`]];

describe('the questions of ordering again', () => {
  it('Ctrl-C keeps the values that were copied', async () => {
    const world = await shop.world();
    const item = ['--item', 'code=LO-C100,quantity=3'];
    const first = ['--title', 'First', '--group', 'delivery=pickup', ...item];
    expect(await world.run(['requisition', 'create', ...first])).toMatchObject({ exitCode: 0 });
    const steps: Steps = [
      ['Title of the requisition', 'Again\r'],
      ['Which quantities do you want to change?', ' \r'],
      ['How many of LO-C100', ''],
    ];
    for (const [index, [question]] of steps.entries()) {
      const session = startWizard(world, '--from last');
      const offer: Steps = index === 0 ? [] : [['You have a draft', `${DOWN}\r`]];
      await play(session, [...offer, ...steps.slice(0, index), [question, CTRL_C]]);
      await session.exited;
      expect(session.text(), question).toContain('code=130');
      expectRestored(session.text());
      expect((await drafts(world))[0]).toMatchObject({ items: 1, next: 'review' });
    }
  });
});

it('asks for a new address if the earlier one no longer exists', async () => {
  const world = await shop.world();
  const parts = ['--deliver-to', 'adr-4', '--item', 'LO-C100=1'];
  await world.run(['requisition', 'create', '--title', 'Old', ...parts]);
  await raw(shop.sandbox.baseUrl, 'DELETE', '/addresses/adr-4', { key: KEY });
  const session = startWizard(world, '--from last');
  await play(session, [
    ['The service has no address "adr-4"', ''],
    ['Title of the requisition', '\r'],
    ['Which quantities do you want to change?', '\r'],
    ['Address id', 'adr-2\r'],
    ['What now?', '\r'],
  ]);
  await session.exited;
  expect(session.text()).toContain('code=0');
  const [entry] = JSON.parse((await world.run(['history', 'list'])).stdout);
  const { payload } = JSON.parse((await world.run(['history', 'show', entry.id])).stdout);
  expect(payload.groups[0].addressId).toBe('adr-2');
});

it('removes lines and groups, adds a group and corrects a new item', async () => {
  const world = await drafted();
  const session = startWizard(world);
  await play(session, [
    ...toLine,
    ['What do you want to change in 2 × Nut?', `${UP}${UP}\r`],
    ['What do you want to change in "Plant"?', `${DOWN}\r`],
    ['What do you want to change in 5 × Nut?', `${DOWN}${DOWN}\r`],
    ['Change which detail?', '\r'],
    ['Name of the new item', 'Bolt\r'],
    ['What do you want to change in "Plant"?', '\r'],
    ['What now?', `${DOWN}${DOWN}\r`],
    ['What do you want to change in "Depot"?', `${UP}\r`],
    ['Remove "Depot" with all its items?', '\r'],
    ['What do you want to change in "Depot"?', `${UP}\r`],
    ['Remove "Depot" with all its items?', 'y\r'],
    ['What now?', `${DOWN}${DOWN}\r`],
    ['Name of group 2', 'Office\r'],
    ['How is it delivered?', `${DOWN}\r`],
    ['What goes into "Office"?', '\r'],
    ['Item (type part', 'cable lock'],
    ['LO-C100 Cable Lock', '\r'],
    ['How many of LO-C100', '9\r'],
    ['Anything else for "Office"?', `${DOWN}${DOWN}\r`],
    ['What now?', '\r'],
  ]);
  await session.exited;
  expect(session.text()).toContain('code=0');
  expect((await lastPayload(world)).groups).toMatchObject([
    { name: 'Plant', items: [{ quantity: 5, item: { name: 'Bolt' } }] },
    { name: 'Office', items: [{ quantity: 9, itemId: expect.any(String) }] },
  ]);
});

it.each([
  ['CI', [], { CI: '1' }],
  ['--no-input', ['--no-input'], {}],
  ['PROC_NO_INPUT', [], { PROC_NO_INPUT: '1' }],
] as const)('asks nothing on a terminal with %s', async (_, flags, env) => {
  const world = await shop.world();
  const session = startTerminal(world, ['requisition', 'wizard', ...flags], { env });
  expect(await session.exited).toBe(2);
  const screen = screenOf(session.text(), 80).replace(/\s+/g, ' ');
  expect(screen).toContain('there is no terminal to ask on');
  expect(screen).toContain('proc requisition create --help');
});

it.each([
  [
    'a pasted list',
    [...toGroup, ['What do you want to change in "Plant"?', `${DOWN.repeat(4)}\r`]] as Steps,
    'Paste or type a list',
  ],
])('SIGTERM at %s restores the terminal', async (_, way, question) => {
  const world = await drafted();
  const own = 'echo "pid=$$;"; exec "$NODE" "$PROC" requisition wizard';
  const session = startPty(world, [], {
    shell: `export NODE PROC; sh -c '${own}'; echo "code=$?"; stty -a`,
  });
  await shows(session, 'pid=');
  const pid = Number(/pid=(\d+);/.exec(session.text())?.[1]);
  await play(session, [...way, [question, '']]);
  process.kill(pid, 'SIGTERM');
  await session.exited;
  expect(session.text()).toContain('code=143');
  expectRestored(session.text());
  expect(await drafts(world)).toMatchObject([{ title: 'Parts', items: 4 }]);
});
