import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atNight } from '../support/at-night.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { freshWorld, ROOT } from '../support/run.ts';
import { screenOf } from '../support/screen.ts';
import { sharedShop } from '../support/shop.ts';
import { startTerminal } from '../support/terminal.ts';
import { CTRL_C, DOWN, play, startWizard } from '../support/wizard.ts';

assumeFirstRuns();

const shop = sharedShop();

function vocabulary(): ReadonlySet<string> {
  const folder = join(ROOT, 'src/wizard');
  const texts = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => readFileSync(join(one.parentPath, one.name), 'utf8'));
  return new Set(
    texts
      .join('\n')
      .toLowerCase()
      .match(/\p{L}{3,}/gu),
  );
}

/** Pairs of lines that break a word of the vocabulary in two. */
function cuts(screen: string, words: ReadonlySet<string>): string[] {
  const lines = screen.split('\n');
  return lines.slice(1).flatMap((line, index) => {
    const tail = /\p{L}+$/u.exec(lines[index]!)?.[0] ?? '';
    const head = /^\p{L}+/u.exec(line)?.[0] ?? '';
    const isCut = tail !== '' && head !== '' && words.has((tail + head).toLowerCase());
    return isCut ? [`${lines[index]}⏎${line}`] : [];
  });
}

it('a word broken between lines is detected', () => {
  const words = vocabulary();
  expect(cuts('? Name of group 1, e.g. a pl\nace', words)).toHaveLength(1);
  expect(cuts('? Name of group 1, e.g.\na place', words)).toEqual([]);
});

const JOURNEYS = [
  ['Title of the requisition', 'Spare parts\r'],
  ['Type (empty for none)', '\r'],
  ['Sector', '\r'],
  ['Your code for', '\r'],
  ['Name of group 1', 'Plant\r'],
  ['How is it delivered?', '\r'],
  ['Address id', 'adr-1\r'],
  ['What goes into "Plant"?', `${DOWN}\r`],
  ['Paste or type a list', 'LO-C100;3\rLO-C100;4\r2 x wrench\r\r'],
  ['What do you want?', '\r'],
  ['Which item does', 'Define\r'],
  ['Code of the new item', '\r'],
  ['Unit of measure', '\r'],
  ['Further details?', ' \r'],
  ['Description', '\r'],
  ['Anything else for "Plant"?', `${DOWN}${DOWN}\r`],
  ['What now?', `${DOWN}\r`],
  ['What do you want to change in "Plant"?', CTRL_C],
] as const;

describe('the wizard', () => {
  it.each(atNight ? [40, 44, 48, 52, 56, 60, 72] : [40])(
    'breaks no word at %i columns',
    async (cols) => {
      const world = await shop.world();
      const session = startWizard(world, '', { cols, env: {} });
      await play(session, JOURNEYS);
      await session.exited;
      expect(session.text()).toContain('code=130');
      expect(cuts(screenOf(session.text(), cols), vocabulary())).toEqual([]);
    },
  );
});

it.each([
  ['requisition create --help', 'wizard'],
  ['requisition wizard --help', 'terminal'],
  ['--help', 'machine'],
  ['help', 'machine'],
  ['items import --help', '--map-file'],
])('%s fits into 40 columns, except for commands to copy', async (line, word) => {
  const world = await freshWorld();
  const session = startTerminal(world, line.split(' '), { cols: 40 });
  await session.exited;
  const lines = screenOf(session.text(), 1000).split('\n');
  // Lines that may be wider: usage lines, and single words such as the value of a flag.
  const wide = lines.filter(
    (one) =>
      one.length > 40 &&
      !/^( +|Usage: )proc /.test(one) &&
      !/^ {6}('[^']*'|\S+)( \\)?$/.test(one) &&
      /\S \S/.test(one.trim()),
  );
  expect(wide).toEqual([]);
  expect(session.text()).toContain(word);
});
