import { describe, expect, it } from 'vitest';
import { screenOf } from '../support/screen.ts';
import { sharedShop } from '../support/shop.ts';
import {
  DOWN,
  drafts,
  expectRestored,
  play,
  type Steps,
  startWizard,
  startWizardInShell,
} from '../support/wizard.ts';

const shop = sharedShop();

const english = (): Steps => [
  ['Title of the requisition', 'Spare parts, July\r'],
  ['Type (empty for none)', 'maintenance\r'],
  ['Sector', 'brak'],
  ['Brakes · brakes', '\r'],
  ['Your code for', '\r'],
  ['Name of group 1', 'Plant\r'],
  ['How is it delivered?', '\r'],
  ['Address id', 'adr-1\r'],
  ['What goes into "Plant"?', '\r'],
  ['Item (type part', 'sport-100 red'],
  ['HL-U509-R Sport-100 Helmet, Red', '\r'],
  ['How many of HL-U509-R', '0\r'],
  ['"0" is not a whole number above 0', '\u007f12\r'],
  ['Anything else for "Plant"?', `${DOWN}${DOWN}\r`],
  ['What now?', ''],
  ['Send it to 127.0.0.1', '\r'],
];

describe('a whole session', () => {
  it.each([40, 200])('at %i columns', async (cols) => {
    const world = await shop.world();
    const session = startWizardInShell(world, '-o id > id.txt', { cols });
    await play(session, english());
    expect(await session.exited).toBe(0);
    const screen = screenOf(session.text(), cols);
    expect(screen).toContain('code=0');
    expectRestored(session.text());

    const id = (await world.read('id.txt')).trim();
    const [row] = shop.sandbox.sql(`SELECT title, sector FROM requisitions WHERE id = '${id}'`);
    const title = 'Spare parts, July';
    expect(row).toEqual({ title, sector: 'brakes' });
    expect(await drafts(world)).toEqual([]);
    const entries = JSON.parse((await world.run(['history', 'list'])).stdout);
    expect(entries).toMatchObject([{ created: id, state: 'done' }]);

    expect(session.text()).toContain(`proc requisition wizard --from ${id}`);
  });
});

it('takes a sector that does not exist for a mistake, not for none', async () => {
  const world = await shop.world();
  const session = startWizard(world);
  await play(session, [
    ...english().slice(0, 2),
    ['Sector', 'brackes'],
    ['No sector has "brackes": search again', '\r'],
    ['Sector', 'brak'],
    ['Brakes · brakes', '\r'],
    ['Your code for', '\u0003'],
  ]);
  await session.exited;
  expect((await drafts(world))[0]!.sheet.sector).toMatchObject({ value: 'brakes' });
});
