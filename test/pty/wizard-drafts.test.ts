import { expect, it } from 'vitest';
import { digestOf } from '../../src/ledger/rows.ts';
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
  UP,
} from '../support/wizard.ts';
import { sheetOf } from '../support/wizard-steps.ts';

const shop = sharedShop(loggedSandbox);

it('says that a draft was sent, and asks before the same is sent again', async () => {
  const world = await shop.world();
  const payload = payloadOf(sheetOf(2));
  shop.draft(world, sheetOf(2), [digestOf('POST', '/requisitions/', payload)]);
  const file = await world.file('sent.json', JSON.stringify(payload));
  const sent = await world.run(['requisition', 'create', '--file', file, '-o', 'id']);
  const writes = shop.sandbox.writes().length;
  const session = startWizard(world, '-o id');
  await play(session, [
    [`and created ${sent.stdout.trim()}. Check it: proc history show`, ''],
    ['You have a draft', `${UP}\r`],
    ['What now?', '\r'],
    ['(y/N)', '\r'],
    ['What now?', `${UP}\r`],
  ]);
  await session.exited;
  expect(shop.sandbox.writes().length).toBe(writes);
  expect(await drafts(world)).toHaveLength(1);
});

function empty(world: ShopWorld): void {
  const [group] = sheetOf(1).groups;
  shop.draft(world, { ...sheetOf(1), groups: [{ ...group!, lines: [], isComplete: undefined }] });
}

async function linesOf(world: ShopWorld): Promise<unknown> {
  const [draft] = await drafts(world);
  const [group] = draft!.sheet.groups;
  return group!.lines.map(({ text }) => text);
}

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
