import { expect, it } from 'vitest';
import { screenOf } from '../support/screen.ts';
import { lastPayload, sharedShop } from '../support/shop.ts';
import { DOWN, play, startWizardInShell, UP } from '../support/wizard.ts';

const shop = sharedShop();

it('goes back to earlier questions, and keeps what was entered, on a real terminal', async () => {
  const world = await shop.world();
  const session = startWizardInShell(world, '-o id');
  await play(session, [
    ['To go back to the previous question, answer "<".', ''],
    ['Title of the requisition', '<\r'],
    ['This is the first question. ? Title of the requisition', 'Spare prats\r'],
    ['Type (empty for none)', 'maintenance\r'],
    ['Sector', 'brak'],
    ['Brakes · brakes', '\r'],
    // Goes back three questions. Each one shows its answer, and Enter would keep it.
    ['Your code for', '<\r'],
    ['Sector', '<'],
    ['Back to the previous question', '\r'],
    ['Type (Enter keeps it', '<\r'],
    ['Title of the requisition', 'Spare parts\r'],
    // The wizard does not ask for the type and the sector again.
    ['Your code for', '<\r'],
    ['Brakes · brakes', '\r'],
    ['Your code for', 'R-7\r'],
    ['Name of group 1', 'Plant\r'],
    ['How is it delivered?', `${UP}\r`],
    ['a place (Enter keeps it', '\r'],
    ['How is it delivered?', '\r'],
    ['Address id', '<\r'],
    // A pickup has no address.
    ['How is it delivered?', `${DOWN}\r`],
    ['What goes into "Plant"?', `${UP}\r`],
    ['How is it delivered?', '\r'],
    ['What goes into "Plant"?', '\r'],
    ['Item (type part', 'lo-c100'],
    ['LO-C100 Cable Lock', '\r'],
    ['How many of LO-C100', '<\r'],
    ['Item (type part', '\r'],
    ['How many of LO-C100', '3\r'],
    ['Anything else for "Plant"?', `${UP}\r`],
    ['How many of LO-C100', '\r'],
    ['Anything else for "Plant"?', `${DOWN}${DOWN}\r`],
    ['What now?', ''],
  ]);
  // From the review, "<" returns to the review.
  await play(session, [
    ['Save it as a draft', `${DOWN.repeat(3)}\r`],
    ['Title of the requisition', '<\r'],
    ['What now?', '\r'],
  ]);
  expect(await session.exited).toBe(0);
  expect(screenOf(session.text(), 100)).toContain('code=0');
  expect(await lastPayload(world)).toMatchObject({
    title: 'Spare parts',
    type: 'maintenance',
    sector: 'brakes',
    code: 'R-7',
    groups: [{ name: 'Plant', deliveryMethod: 'pickup', items: [{ quantity: 3 }] }],
  });
});
