import { expect, it } from 'vitest';
import { startPty } from '../support/pty.ts';
import { lastPayload, sharedShop } from '../support/shop.ts';
import { DOWN, drafts, play, shows, startWizard, startWizardInShell } from '../support/wizard.ts';
import { heading } from '../support/wizard-steps.ts';

const shop = sharedShop();

it('orders the last requisition again, with other quantities', async () => {
  const world = await shop.world();
  const first = await world.run([
    ...['requisition', 'create', '--title', 'First', '--code', 'PO-7'],
    ...['--group', 'name=Plant,delivery=delivery,address=adr-2'],
    ...['--item', 'code=LO-C100,quantity=3', '--item', 'code=HL-U509,quantity=1'],
  ]);
  expect(first.exitCode).toBe(0);
  const session = startWizard(world, '--from last');
  await play(session, [
    ['Ordering again: First', ''],
    ['Title of the requisition', ' again\r'],
    ['Which quantities do you want to change?', ` ${DOWN} \r`],
    ['How many of LO-C100 Cable Lock?', '\u007f20\r'],
    ['How many of HL-U509', '\u007f2\r'],
    ['What now?', '\r'],
  ]);
  await session.exited;
  expect(session.text()).toContain('code=0');
  const payload = await lastPayload(world);
  expect(payload).toMatchObject({ title: 'again', groups: [{ addressId: 'adr-2' }] });
  expect(payload.code).toBeUndefined();
  expect(payload.groups[0]!.items.map(({ quantity }) => quantity)).toEqual([20, 2]);
});

it('an item that was defined in place and has a namesake now is a question, which survives a kill', async () => {
  const world = await shop.world();
  const flags = ['--title', 'Earlier', '--group', 'name=Plant,delivery=pickup'];
  const items = ['--new-item', 'name=Spoke,quantity=3', '--item', 'LO-C100=2'];
  const first = await world.run(['requisition', 'create', ...flags, ...items]);
  expect(first).toMatchObject({ exitCode: 0 });
  const made = await world.run(['items', 'create', '--name', 'Spoke', '-o', 'id']);
  const id = made.stdout.trim();
  const session = startWizardInShell(world, '--from last');
  await play(session, [
    ['Title of the requisition', '\r'],
    ['Which item does "3 Spoke" mean?', ''],
  ]);
  await shows(session, `Spoke (${id})`);
  session.kill('SIGKILL');
  await session.exited;
  const next = startWizard(world);
  await play(next, [
    ['You have a draft', '\r'],
    // What is in it.
    ['LO-C100 Cable Lock', ''],
    ['Which item does "3 Spoke" mean?', `${DOWN}\r`],
    ['What now?', '\r'],
  ]);
  await next.exited;
  expect(next.text()).toContain('code=0');
  expect((await lastPayload(world)).groups[0]!.items).toEqual([
    { quantity: 2, itemId: expect.any(String) },
    { quantity: 3, itemId: id },
  ]);
});

it('offers the addresses of earlier requisitions, last used first', async () => {
  const world = await shop.world();
  for (const address of ['adr-1', 'adr-3', 'adr-2']) {
    const flags = ['--title', address, '--deliver-to', address, '--item', 'LO-C100=1'];
    expect(await world.run(['requisition', 'create', ...flags])).toMatchObject({ exitCode: 0 });
  }
  const session = startWizard(world);
  await play(session, [
    ...heading('Addresses').slice(0, 5),
    ['How is it delivered?', '\r'],
    ['Delivery address', `${DOWN}\r`],
    ['What goes into "Plant"?', '\u0003'],
  ]);
  await session.exited;
  const [draft] = await drafts(world);
  expect(draft!.sheet.groups[0]!.address).toMatchObject({ id: 'adr-3', label: expect.any(String) });
});

it('a code that another item has is refused before anything is sent, and the line can be changed', async () => {
  const world = await shop.world();
  const session = startWizard(world);
  await play(session, [
    ...heading('Not twice'),
    ['What goes into "Plant"?', '\r'],
    ['Item (type part', 'my lock'],
    ['Define "my lock"', `${DOWN}${DOWN}${DOWN}\r`],
    ['Code of the new item', 'LO-C100\r'],
    ['Unit of measure', '\r'],
    ['How many of LO-C100 my lock', '2\r'],
    ['Anything else', `${DOWN}${DOWN}\r`],
    ['What now?', '\r'],
    ['"LO-C100" is "Cable Lock"', ''],
    ['What now?', `${DOWN}\r`],
    ['What do you want to change in "Plant"?', `${DOWN}\r`],
    ['What do you want to change in 2 × LO-C100 my lock?', `${DOWN}\r`],
    ['Item (type part', 'cable lock'],
    ['LO-C100 Cable Lock', '\r'],
    ['What do you want to change in "Plant"?', '\r'],
    ['What now?', '\r'],
  ]);
  await session.exited;
  expect(session.text()).toContain('code=0');
  expect((await lastPayload(world)).groups[0]!.items).toEqual([
    { quantity: 2, itemId: expect.any(String) },
  ]);
});

it('a closed terminal keeps the draft', async () => {
  const world = await shop.world();
  const session = startPty(world, ['requisition', 'wizard']);
  await play(session, heading('Closed').slice(0, 3));
  await shows(session, 'Your code for');
  session.kill('SIGHUP');
  // The exit code shows that proc handled the signal: a program ended by a signal has none.
  expect(await session.exited).toBe(129);
  expect(await drafts(world)).toMatchObject([{ title: 'Closed' }]);
});
