import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Sheet } from '../../src/compose/requisition-sheet.ts';
import { digestOf } from '../../src/ledger/identity.ts';
import { payloadOf } from '../../src/wizard/review.ts';
import { loggedSandbox } from '../support/service.ts';
import { type ShopWorld, sharedShop } from '../support/shop.ts';
import {
  CTRL_C,
  CTRL_D,
  DOWN,
  drafts,
  expectRestored,
  play,
  startWizard,
  startWizardInShell,
  UP,
} from '../support/wizard.ts';
import { sheetOf } from '../support/wizard-steps.ts';

const shop = sharedShop(loggedSandbox);

it('asks what to do with a draft that changed since it was created', async () => {
  const world = await shop.world();
  const payload = payloadOf(sheetOf(2));
  shop.draft(world, sheetOf(30), [digestOf('POST', '/requisitions/', payload)]);
  const file = await world.file('sent.json', JSON.stringify(payload));
  const sent = await world.run(['requisition', 'create', '--file', file, '-o', 'id']);
  const first = sent.stdout.trim();
  const writes = shop.sandbox.writes().length;
  const session = startWizard(world, '-o id');
  await play(session, [
    ['You have a draft', '\r'],
    ['What now?', '\r'],
    [`created ${first}. It has changed since`, ''],
    ['Send it anyway, as another requisition? (y/N)', '\r'],
    ['Not sent.', ''],
    ['What now?', `${UP}\r`],
    ['Saved as a draft', ''],
  ]);
  await session.exited;
  expect(shop.sandbox.writes().length).toBe(writes);
  expect(await drafts(world)).toHaveLength(1);

  const another = startWizard(world, '-o id');
  await play(another, [
    ['You have a draft', '\r'],
    ['What now?', '\r'],
    ['Send it anyway, as another requisition? (y/N)', 'y\r'],
    ['Sending the requisition.', ''],
  ]);
  await another.exited;
  expect(another.text()).toContain('code=0');
  expect(shop.sandbox.writes().length).toBe(writes + 1);
  expect(await drafts(world)).toEqual([]);
});

function empty(world: ShopWorld): void {
  const [group] = sheetOf(1).groups;
  shop.draft(world, { ...sheetOf(1), groups: [{ ...group!, lines: [], isComplete: undefined }] });
}

async function linesOf(world: ShopWorld): Promise<unknown> {
  const [draft] = await drafts(world);
  const [group] = draft!.sheet.groups;
  return group!.pasted ?? group!.lines.map(({ text }) => text);
}

describe('a list that is being pasted', () => {
  it.each(['Ctrl-C', 'SIGKILL'] as const)(
    'keeps its lines at %s, and is offered again',
    async (end) => {
      const world = await shop.world();
      empty(world);
      const session = startWizardInShell(world);
      await play(session, [
        ['You have a draft', '\r'],
        ['What goes into "Plant"?', `${DOWN}\r`],
        ['Paste or type a list', 'first;3\r2 x second\rthi'],
        ['thi', ''],
      ]);
      while (JSON.stringify(await linesOf(world)) !== '["first;3","2 x second"]');
      if (end === 'Ctrl-C') session.type(CTRL_C);
      else session.kill(end);
      await session.exited;
      if (end === 'Ctrl-C') {
        expect(session.text()).toContain('code=130');
        expectRestored(session.text());
      }
      expect((await drafts(world))[0]).toMatchObject({ items: 2, next: 'list' });
      const next = startWizard(world);
      await play(next, [
        ['You have a draft', '\r'],
        ['is unfinished (lines: 2, the last one "2 x second")', `${DOWN}\r`],
        ['Paste or type a list', 'third;1\r\r'],
        ['Still to choose: 3', ''],
        ['Which item does "first;3" mean?', CTRL_C],
      ]);
      await next.exited;
      expect(await linesOf(world)).toEqual(['first;3', '2 x second', 'third;1']);
    },
  );

  it('ends at Ctrl-D', async () => {
    const world = await shop.world();
    empty(world);
    const session = startWizard(world);
    await play(session, [
      ['You have a draft', '\r'],
      ['What goes into "Plant"?', `${DOWN}\r`],
      ['Paste or type a list', `one;1\rtwo;2\r${CTRL_D}`],
      ['Which item does "one;1" mean?', CTRL_C],
    ]);
    await session.exited;
    expectRestored(session.text());
    expect(await linesOf(world)).toEqual(['one;1', 'two;2']);
  });
});

describe('a new item without a code on two lines', () => {
  const copied = (): Sheet => {
    const [group] = sheetOf(2).groups;
    return { ...sheetOf(2), groups: [group!, { ...group!, name: 'Depot' }] };
  };

  it.each([
    ['one line for both', `\r`, [['What goes into "Depot"?', CTRL_C]], [[4], []]],
    ['two on purpose', `${UP}\r`, [['What now?', CTRL_C]], [[2], [2]]],
  ] as const)('asks before it is sent: %s', async (_, key, steps, expected) => {
    const world = await shop.world();
    shop.draft(world, copied());
    const session = startWizard(world);
    await play(session, [
      ['You have a draft', '\r'],
      ['Nut is already in "Plant" (2), and this line orders 2', key],
      ...steps,
    ]);
    await session.exited;
    const [draft] = await drafts(world);
    const { groups } = draft!.sheet;
    expect(groups.map(({ lines }) => lines.map(({ quantity }) => quantity))).toEqual(expected);
  });
});

it('saves below the home folder, and asks again if a file cannot be written', async () => {
  const world = await shop.world();
  shop.draft(world, sheetOf(2));
  const session = startWizard(world);
  await play(session, [
    ['You have a draft', '\r'],
    ['What now?', `${UP}${UP}\r`],
    ['File name', 'no/such/folder.json\r'],
    ['no/such/folder.json: ENOENT', ''],
    ['File name', '~/saved.json\r'],
    ['Saved: ', ''],
    ['What now?', `${DOWN}\r`],
  ]);
  await session.exited;
  expect(session.text()).toContain('code=0');
  expect(session.text()).not.toContain('.tmp');
  const file = join(world.env.HOME!, 'saved.json');
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ title: 'Parts' });
});
