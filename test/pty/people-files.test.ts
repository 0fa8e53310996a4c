import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { assumeFirstRuns } from '../support/in-process.ts';
import { freshWorld, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { startTerminal } from '../support/terminal.ts';

assumeFirstRuns();

/** What a person sees, and the keys that they type then. */
type Answer = readonly [question: string, keys: string];

interface Step {
  readonly command: string;
  readonly answers: readonly Answer[];
  readonly exit: number;
}

const DOWN = '\u001b[B';
const create = (what: string): Answer => [`Create ${what}`, 'y\r'];

interface Person {
  readonly who: string;
  readonly files: (here: World, order: string) => Promise<void>;
  readonly steps: readonly Step[];
  readonly created: number;
}

const text = (name: string, content: string | Buffer) => async (here: World) => {
  await here.file(name, content);
};

const PEOPLE: readonly Person[] = [
  {
    who: 'a SAP list of materials, whose columns are asked for',
    files: text('mara.csv', 'MATNR;MAKTX\n000100-1;Schraube M8\n000100-2;Mutter M8\n'),
    steps: [
      {
        command: 'items import mara.csv',
        answers: [
          ['Which column fills name?', `${DOWN}\r`],
          ['Which column fills code?', '\r'],
          ['Save this map to mara.map.json?', 'y\r'],
          create('2 items'),
        ],
        exit: 0,
      },
    ],
    created: 2,
  },
  {
    who: 'invoices with credit notes and currencies in the cells',
    files: (here, order) =>
      here
        .file(
          'invoices.csv',
          `Invoice;Amount;Order\nF-1;EUR 1.234,50;${order}\nF-2;5,00-;${order}\nF-3;(2,50);${order}\n`,
        )
        .then(() => undefined),
    steps: [
      {
        command: 'imputations import invoices.csv --map reference=Invoice --set account=6100',
        answers: [
          ['Which number is EUR 1.234,50 in amount?', '\r'],
          ['Save this map to invoices.map.json?', 'y\r'],
          create('3 imputations'),
        ],
        exit: 0,
      },
    ],
    created: 3,
  },
  {
    who: 'a list with a row without a name, which is mended',
    files: text('gap.csv', 'CODE,NAME\nG-1,Bolt\nG-2,\n'),
    steps: [
      { command: 'items import gap.csv', answers: [create('1 item')], exit: 8 },
      { command: 'items import gap.rejected.csv', answers: [create('1 item')], exit: 0 },
    ],
    created: 2,
  },
];

it.each(PEOPLE)('$who: from the file to the finished import', async ({ files, steps, created }) => {
  const sandbox = await loggedSandbox();
  onTestFinished(() => sandbox.close());
  const here = await freshWorld(sandbox.target);
  const orders = await here.run(['orders', 'list', '--limit', '1', '-o', 'json']);
  await files(here, JSON.parse(orders.stdout)[0].code);
  for (const { command, answers, exit } of steps) {
    if (command.includes('rejected')) {
      const path = join(here.cwd, 'gap.rejected.csv');
      await writeFile(path, (await readFile(path, 'utf8')).replace('G-2,,', 'G-2,Nut,'));
    }
    const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain!,
    );
    const terminal = startTerminal(here, words, { cols: 120 });
    for (const [question, keys] of answers) {
      await terminal.waitFor(question);
      terminal.type(keys);
    }
    expect(await terminal.exited, terminal.text()).toBe(exit);
  }
  expect(sandbox.writes()).toHaveLength(created);
});
