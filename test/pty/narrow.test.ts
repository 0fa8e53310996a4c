import { expect, it } from 'vitest';
import { freshWorld } from '../support/run.ts';
import { screenOf } from '../support/screen.ts';
import { startTerminal } from '../support/terminal.ts';

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
