import { describe, expect, it } from 'vitest';
import { freshFolder } from '../support/sandbox.ts';
import { screenOf } from '../support/screen.ts';
import { loggedSandbox } from '../support/service.ts';
import { lastQuantities, sharedShop, worldOf } from '../support/shop.ts';
import { DOWN, drafts, play, startWizard, startWizardInShell, UP } from '../support/wizard.ts';
import { done, heading, pasted } from '../support/wizard-steps.ts';

const shop = sharedShop();

const CTRL_U = '\u0015';

describe('a pasted line', () => {
  it('is looked up by its own text, which can be edited', async () => {
    const world = await shop.world();
    const session = startWizard(world);
    await play(session, [
      ...heading('Own text'),
      ...pasted('4 x helmetzz'),
      ['Which item does "4 x helmetzz" mean?', '\r'],
      ['Similar: HL-U509', ''],
      ['Define "helmetzz"', '\u007f\u007f, red'],
      ['HL-U509-R Sport-100 Helmet, Red', '\r'],
      ...done,
    ]);
    await session.exited;
    expect(session.text()).toContain('code=0');
    expect(await lastQuantities(world)).toEqual([4]);
  });

  it('is asked again after going back from the catalogue, and after a kill', async () => {
    const world = await shop.world();
    const session = startWizardInShell(world);
    await play(session, [
      ...heading('Back'),
      ...pasted('LO-C100;3\r4 x wrench'),
      ['Which item does "4 x wrench" mean?', '\r'],
      ['Item for "4 x wrench"', ''],
      ['None, go back', '\r'],
      ['Which item does "4 x wrench" mean?', '\r'],
      ['Item for "4 x wrench"', 'zzz'],
      ['None, go back', '\r'],
      ['Which item does "4 x wrench" mean?', ''],
    ]);
    session.kill('SIGKILL');
    await session.exited;
    const next = startWizard(world);
    await play(next, [
      ['You have a draft', '\r'],
      ['In "Plant"', ''],
      ['Which item does "4 x wrench" mean?', '\r'],
      // The search begins with a text, which the person deletes.
      ['Define "wrench"', `${CTRL_U}minipump`],
      ['PU-0452 Minipump', '\r'],
      ...done,
    ]);
    await next.exited;
    expect(next.text()).toContain('code=0');
    expect(await lastQuantities(world)).toEqual([3, 4]);
  });

  it('is left out only if the person skips it, and the review and the end say so', async () => {
    const world = await shop.world();
    const session = startWizard(world);
    await play(session, [
      ...heading('Left out'),
      ...pasted('LO-C100;3\rwrench\t4'),
      // The line was pasted with a tab. The question shows a space.
      ['Which item does "wrench 4" mean?', `${UP}\r`],
      ['Anything else for "Plant"?', `${DOWN}${DOWN}\r`],
      ['Not ordered, because you skipped it: wrench 4', ''],
      ['What now?', '\r'],
      ['Not ordered, because you skipped it: wrench 4', ''],
    ]);
    await session.exited;
    expect(session.text()).toContain('code=0');
    expect(screenOf(session.text(), 200)).not.toContain('\\t');
    expect(await lastQuantities(world)).toEqual([3]);
  });
});

it('continues at the code of a new item, and says which item that is', async () => {
  const world = await shop.world();
  const session = startWizardInShell(world);
  await play(session, [
    ...heading('Code'),
    ...pasted('4 x wrench'),
    ['Which item does "4 x wrench" mean?', 'Define\r'],
    ['Code of the new item', ''],
  ]);
  session.kill('SIGKILL');
  await session.exited;
  const next = startWizard(world);
  await play(next, [
    ['You have a draft', '\r'],
    ['In "Plant", "wrench":', ''],
    ['Code of the new item', '\u0003'],
  ]);
  await next.exited;
  expect(next.text()).toContain('code=130');
});

describe('an item that is already in the group', () => {
  it.each([
    ['both together', '\r', [7, 1]],
    ['the new quantity', `${DOWN}\r`, [4, 1]],
    ['the old one', `${DOWN}${DOWN}\r`, [3, 1]],
    ['two lines', `${UP}\r`, [3, 4, 1]],
  ])('is a question: %s', async (_, keys, expected) => {
    const world = await shop.world();
    const session = startWizard(world);
    await play(session, [
      ...heading('Same'),
      ...pasted('LO-C100;3\rLO-C100;4\rPU-0452;1'),
      ['LO-C100 Cable Lock is already in "Plant" (3), and this line orders 4', keys],
      ...done,
    ]);
    await session.exited;
    expect(session.text()).toContain('code=0');
    expect(await lastQuantities(world)).toEqual(expected);
  });

  it('is one answer for a whole list added to an earlier requisition', async () => {
    const world = await shop.world();
    const first = await world.run([
      ...['requisition', 'create', '--title', 'First', '--group', 'name=Plant,delivery=pickup'],
      ...['--item', 'code=LO-C100,quantity=3', '--item', 'code=PU-0452,quantity=1'],
    ]);
    expect(first).toMatchObject({ exitCode: 0 });
    const session = startWizard(world, '--from last');
    await play(session, [
      ['Title of the requisition', 'Second\r'],
      ['Which quantities do you want to change?', '\r'],
      ['What now?', `${DOWN}\r`],
      ['What do you want to change in "Plant"?', `${DOWN.repeat(4)}\r`],
      ['Paste or type a list', 'LO-C100;5\rHL-U509-R;2\rPU-0452;6\r\r'],
      ['LO-C100 Cable Lock is already in "Plant" (3), and this line orders 5', `${DOWN}\r`],
      ['Do the same for the other repeated lines (1)? (y/N)', 'y\r'],
      ['What do you want to change in "Plant"?', '\r'],
      ['What now?', '\r'],
    ]);
    await session.exited;
    expect(session.text()).toContain('code=0');
    expect(await lastQuantities(world)).toEqual([5, 6, 2]);
  });
});

it('asks for a missing quantity in words', async () => {
  const world = await shop.world();
  const session = startWizard(world);
  await play(session, [
    ...heading('Empty'),
    ['What goes into "Plant"?', '\r'],
    ['Item (type part', 'cable lock'],
    ['LO-C100 Cable Lock', '\r'],
    ['How many of LO-C100', '\r'],
    ['Enter a quantity: a whole number above 0', 'x\r'],
    ['"x" is not a whole number above 0', '\u007f2\r'],
    ...done,
  ]);
  await session.exited;
  expect(session.text()).toContain('code=0');
});

describe('a service that becomes unreachable meanwhile', () => {
  it('can be retried without typing anything twice', async () => {
    const db = `${await freshFolder()}/sandbox.db`;
    const first = await loggedSandbox({ db });
    const world = await worldOf(first);
    const session = startWizard(world, '--retries 0');
    await play(session, [
      ...heading('Away').slice(0, 5),
      ['How is it delivered?', '\r'],
      ['Address', ''],
    ]);
    const { port } = first;
    await first.close();
    await play(session, [
      ['Address', 'adr-1\r'],
      ['Cannot reach the service:', ''],
      ['Nothing is lost', ''],
      ['Try again? (Y/n)', '\r'],
      ['Address', 'adr-1\r'],
      ['Cannot reach the service:', ''],
      ['Try again? (Y/n)', ''],
    ]);
    await using _second = await loggedSandbox({ db, port });
    await play(session, [
      ['Try again? (Y/n)', 'y\r'],
      ['Address', 'adr-1\r'],
      ['Address:', ''],
      ['What goes into "Plant"?', '\u0003'],
    ]);
    await session.exited;
    expect(session.text()).toContain('code=130');
    expect(await drafts(world)).toMatchObject([{ title: 'Away', groups: 1 }]);
  });
});
