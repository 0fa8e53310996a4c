import { describe, expect, it } from 'vitest';
import { openDoor } from '../support/door.ts';
import { KEY, raw } from '../support/raw-http.ts';
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
      ['Which item does "wrench 4" mean?', `${UP}${UP}\r`],
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

it('ends if the service cannot be reached, and keeps a list that was just pasted', async () => {
  const db = `${await freshFolder()}/sandbox.db`;
  const first = await loggedSandbox({ db });
  for (const code of ['A-1', 'B-2']) {
    const body = { name: `Item ${code}`, code };
    await raw(first.baseUrl, 'POST', '/items/', { key: KEY, body });
  }
  const door = await openDoor(first.port);
  const world = await worldOf({ target: { ...first.target, PROC_BASE_URL: door.baseUrl } });
  const session = startWizardInShell(world, '--retries 0');
  await play(session, [...heading('Pasted'), ['What goes into "Plant"?', '']]);
  await first.close();
  await play(session, [
    ['What goes into "Plant"?', `${DOWN}\r`],
    // The header names the column of the quantity. The draft must keep it.
    ['Paste or type a list', 'Item\tQty\tPrice\rA-1\t3\t5\rB-2\t4\t7\rwrench\t6\t9\r\r'],
    ['Saved as a draft', ''],
  ]);
  await session.exited;
  expect(session.text()).toContain('code=7');
  expect(await drafts(world)).toMatchObject([{ items: 3 }]);
  await using second = await loggedSandbox({ db });
  door.to = second.port;
  const next = startWizard(world);
  await play(next, [
    ['You have a draft', '\r'],
    ['Items found: 2. Still to choose: 1.', ''],
    ['Which item does "wrench 6 9" mean?', 'Define\r'],
    ['Code of the new item', '\r'],
    ['Unit of measure', '\r'],
    ...done,
  ]);
  await next.exited;
  expect(next.text()).toContain('code=0');
  expect(await lastQuantities(world)).toEqual([3, 4, 6]);
});
