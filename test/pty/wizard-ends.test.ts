import { describe, expect, it } from 'vitest';
import { openDoor } from '../support/door.ts';
import { raw } from '../support/raw-http.ts';
import { freshFolder } from '../support/sandbox.ts';
import { loggedSandbox } from '../support/service.ts';
import { sharedShop, worldOf } from '../support/shop.ts';
import {
  CTRL_C,
  DOWN,
  drafts,
  expectRestored,
  play,
  type Steps,
  shows,
  startWizard,
  startWizardInShell,
  UP,
} from '../support/wizard.ts';

const shop = sharedShop();

const steps = (): Steps => [
  ['Title of the requisition', 'Spare parts\r'],
  ['Type (empty for none)', '\r'],
  ['Sector', '\r'],
  ['Your code for', '\r'],
  ['Name of group 1', 'Plant\r'],
  ['How is it delivered?', '\r'],
  ['Address id', 'adr-1\r'],
  ['What goes into "Plant"?', `${DOWN}\r`],
  ['Paste or type a list', 'LO-C100;3\r\rwrench\r\r'],
  ['Which item does "wrench" mean?', 'Define\r'],
  ['Code of the new item', '\r'],
  ['Unit of measure', '\r'],
  ['How many of', '4\r'],
  ['Anything else for "Plant"?', `${DOWN}${DOWN}\r`],
  ['What now?', '\r'],
];

/** One question of each kind, for a real terminal: a simulated one has no modes of its own. */
const ON_A_PTY = ['Title', 'Sector', 'How is it', 'Paste'];

/** A draft does not store choices in menus, so the wizard asks them again. */
function wayTo(question: string): Steps {
  return question.startsWith('Paste') ? [['What goes into "Plant"?', `${DOWN}\r`]] : [];
}

describe('Ctrl-C at every question', () => {
  it('exits 130 and restores the terminal; the next wizard resumes at that question', async () => {
    const world = await shop.world();
    for (const [index, [question, answer]] of steps().entries()) {
      const start = ON_A_PTY.some((one) => question.startsWith(one))
        ? startWizardInShell
        : startWizard;
      const session = start(world);
      if (index > 0) await play(session, [['You have a draft', '\r'], ...wayTo(question)]);
      await shows(session, question);
      await play(session, [[question, CTRL_C]]);
      await session.exited;
      expect(session.text(), question).toContain('code=130');
      // A draft that was kept is no error.
      expect(session.text().includes('error:'), question).toBe(index === 0);
      expectRestored(session.text());
      const [draft] = await drafts(world);
      if (index > 0) {
        expect(session.text()).toContain('proc requisition wizard');
        expect(draft).toMatchObject({ title: 'Spare parts' });
      }
      if (index === steps().length - 1) break;
      const next = startWizard(world);
      if (index > 0) await play(next, [['You have a draft', '\r'], ...wayTo(question)]);
      await play(next, [[question, answer]]);
      await shows(next, steps()[index + 1]![0]);
      next.type(CTRL_C);
      await next.exited;
    }
    const last = startWizard(world, '-o id');
    await play(last, [
      ['You have a draft', '\r'],
      ['What now?', '\r'],
    ]);
    await last.exited;
    expect(last.text()).toContain('code=0');
    expect(await drafts(world)).toEqual([]);
  }, 180_000);
});

it('survives a resize at every question', async () => {
  const world = await shop.world();
  const session = startWizardInShell(world);
  for (const [index, [question, answer]] of steps().entries()) {
    await shows(session, question);
    session.resize(index % 2 === 0 ? 40 : 200);
    session.resize(index % 3 === 0 ? 60 : 100);
    await play(session, [[question, answer]]);
  }
  await session.exited;
  expect(session.text()).toContain('code=0');
  expectRestored(session.text());
});

it('returns to the review if the service refuses it, and keeps everything', async () => {
  const own = await loggedSandbox();
  await using _closed = own;
  const world = await worldOf(own);
  const session = startWizard(world);
  await play(session, [
    ...steps().slice(0, 6),
    ['Address id', 'adr-none\r'],
    ['The service has no address "adr-none"', ''],
    ['Address id', 'adr-5\r'],
    ['What goes into "Plant"?', '\r'],
    ['Item (type part', 'Nut'],
    ['Define "Nut" as a new item', `${DOWN}\r`],
    ['Code of the new item', '\r'],
    ['Unit of measure', '\r'],
    ['How many of', '4\r'],
    ['Anything else', `${DOWN}${DOWN}\r`],
  ]);
  await shows(session, 'What now?');
  expect((await raw(own.baseUrl, 'DELETE', '/addresses/adr-5')).status).toBeLessThan(300);
  await play(session, [
    ['What now?', '\r'],
    ['error:', ''],
    ['What now?', `${DOWN}\r`],
    ['What do you want to change in "Plant"?', `${UP}${UP}\r`],
    ['Address id', '-\r'],
    ['What do you want to change in "Plant"?', '\r'],
    ['What now?', '\r'],
  ]);
  await session.exited;
  expect(session.text()).toContain('code=0');
  expect(await drafts(world)).toEqual([]);
});

it('keeps the draft when the network is lost, and exits with the code of the failure', async () => {
  const own = await loggedSandbox();
  const world = await worldOf(own);
  const session = startWizard(world, '--retries 0');
  await play(session, [
    ...steps().slice(0, 6),
    ['Address id', '\r'],
    ['What goes into "Plant"?', '\r'],
    ['Item (type part', 'Nut'],
    ['Define "Nut" as a new item', `${DOWN}\r`],
    ['Code of the new item', '\r'],
    ['Unit of measure', '\r'],
    ['How many of', '4\r'],
    ['Anything else', `${DOWN}${DOWN}\r`],
  ]);
  await shows(session, 'What now?');
  await own.close();
  await play(session, [
    ['What now?', '\r'],
    ['error:', ''],
    ['What now?', `${UP}\r`],
  ]);
  await session.exited;
  expect(session.text()).toContain('code=7');
  expectRestored(session.text());
  expect(await drafts(world)).toMatchObject([{ title: 'Spare parts', items: 1 }]);
});

describe('after a send with an unknown outcome', () => {
  it('asks before it is sent again, and says why', async () => {
    const db = `${await freshFolder()}/sandbox.db`;
    const first = await loggedSandbox({ db, faults: 'reset-after=100%' });
    const door = await openDoor(first.port);
    const world = await worldOf({ target: { ...first.target, PROC_BASE_URL: door.baseUrl } });
    const session = startWizard(world);
    await play(session, [
      ...steps().slice(0, 6),
      ['Address id', '\r'],
      ['What goes into "Plant"?', '\r'],
      ['Item (type part', 'Nut'],
      ['Define "Nut" as a new item', `${DOWN}\r`],
      ['Code of the new item', 'N-8\r'],
      ['Unit of measure', '\r'],
      ['How many of', '4\r'],
      ['Anything else', `${DOWN}${DOWN}\r`],
      ['What now?', '\r'],
    ]);
    await session.exited;
    expect(session.text()).toContain('code=9');
    await first.close();
    await using second = await loggedSandbox({ db });
    door.to = second.port;

    const again = startWizard(world, '-o id');
    await play(again, [
      ['the outcome is unknown', ''],
      ['You have a draft', `${UP}\r`],
      ['What now?', '\r'],
      ['(y/N)', 'n\r'],
      ['What now?', '\r'],
      ['(y/N)', 'y\r'],
    ]);
    await again.exited;
    expect(again.text()).toContain('code=0');
    // The first attempt created the item, so the second one does not define it.
    expect(again.text()).toContain('the catalogue already has N-8');
    expect(JSON.parse((await world.run(['items', 'list', 'N-8'])).stdout)).toHaveLength(1);
    expect(await drafts(world)).toEqual([]);
  });
});
