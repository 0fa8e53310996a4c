import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startPty } from '../support/pty.ts';
import { ROOT } from '../support/run.ts';
import { screenOf } from '../support/screen.ts';
import { openShop, worldOf } from '../support/shop.ts';
import { DOWN, play, shows } from '../support/wizard.ts';

const PAGE = join(ROOT, 'docs/wizard.md');
const COLUMNS = 100;
const FENCE = '`````';

/** With `UPDATE_DOCS=1`, writes the screens into the page instead of comparing them. */
it('the screens in docs/wizard.md are what a terminal shows', async () => {
  await using shop = await openShop();
  const world = await worldOf(shop);
  const session = startPty(world, ['requisition', 'wizard'], { cols: COLUMNS });
  const pictures = new Map<string, string>();
  /** Stores the output, beginning with the first line that contains `from`. */
  const take = (name: string, from: string): void => {
    const lines = shownBy(session.text())
      .replaceAll(world.stateDir, '~/.local/state/proc')
      .replaceAll(/127\.0\.0\.1:\d+/g, 'acme · production')
      .split('\n');
    pictures.set(name, lines.slice(lines.findIndex((line) => line.includes(from))).join('\n'));
  };
  await play(session, [
    ['Title of the requisition', 'Spare parts, July\r'],
    ['Type (empty for none)', 'maintenance\r'],
    ['Sector', 'brak'],
    ['Brakes · brakes', '\r'],
    ['Your code for', '\r'],
    ['Name of group 1', 'Plant\r'],
    ['How is it delivered?', '\r'],
    ['Address id', 'adr-1\r'],
    ['What goes into "Plant"?', '\r'],
    ['Item (type part', 'helmet'],
    ['HL-U509-R Sport-100 Helmet, Red', ''],
  ]);
  await shows(session, 'Define "helmet" as a new item');
  take('search', 'What goes into');
  await play(session, [
    ['Item (type part', `${DOWN}${DOWN}\r`],
    ['How many of HL-U509-R', '12\r'],
    ['Anything else for "Plant"?', `${DOWN}\r`],
    ['Paste or type a list', 'LO-C100;3\r2 Minipump\r5 x bottle cage\r\r'],
    ['Which item does "5 x bottle cage" mean?', `${DOWN}\r`],
    ['Anything else for "Plant"?', `${DOWN}${DOWN}\r`],
    ['What now?', ''],
  ]);
  await shows(session, 'Save it as a draft');
  take('review', 'Your requisition');
  await play(session, [['What now?', '\r']]);
  expect(await session.exited).toBe(0);
  take('end', 'What now?');

  const page = await readFile(PAGE, 'utf8');
  const wanted = [...pictures].reduce((text, [name, picture]) => {
    const block = new RegExp(`(<!-- ${name} -->\n${FENCE}text\n)[\\s\\S]*?(${FENCE})`);
    expect(text, `docs/wizard.md has a place for "${name}"`).toMatch(block);
    return text.replace(
      block,
      (_, before: string, after: string) => `${before}${picture}\n${after}`,
    );
  }, page);
  if (process.env.UPDATE_DOCS === '1') await writeFile(PAGE, wanted);
  else expect(page).toBe(wanted);
});

/** Uses a very wide terminal, because the page must not wrap commands to copy. */
function shownBy(bytes: string): string {
  return screenOf(bytes, 10 * COLUMNS).trim();
}
