import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freshWorld, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { startTerminal } from '../support/terminal.ts';
import { runTyped } from '../support/typed-line.ts';
import { workbook } from '../support/workbook.ts';

/** What a person sees, and the keys that they type then. */
type Answer = readonly [question: string, keys: string];

interface Step {
  readonly command: string;
  readonly answers: readonly Answer[];
  readonly exit: number;
}

const DOWN = '\u001b[B';
const USE: Answer = ['Use these columns?', '\r'];
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
    who: 'a SAP list of materials',
    files: text(
      'mara.csv',
      'MATNR;MAKTX;MEINS;MATKL\n000100-1;Schraube M8;ST;0017\n000100-2;Mutter M8;ST;0017\n',
    ),
    steps: [{ command: 'items import mara.csv', answers: [USE, create('2 items')], exit: 0 }],
    created: 2,
  },
  {
    who: 'a Spanish workbook with a title above its table',
    files: async (here) =>
      writeFile(
        join(here.cwd, 'lista.xlsx'),
        workbook({
          Hoja1: [
            ['Lista de artículos 2026'],
            [],
            ['Código', 'Nombre', 'Unidad'],
            ['A-1', 'Perno', 'UN'],
            ['A-2', 'Tuerca', 'UN'],
          ],
        }),
      ),
    steps: [
      {
        command: 'items import lista.xlsx',
        answers: [['Which row is the header?', '\r'], USE, create('2 items')],
        exit: 0,
      },
    ],
    created: 2,
  },
  {
    who: 'a workbook whose first sheet is a note',
    files: async (here) =>
      writeFile(
        join(here.cwd, 'book.xlsx'),
        workbook({
          Notes: [['Please read'], ['Thanks']],
          Data: [
            ['Code', 'Name'],
            ['B-1', 'Bolt'],
          ],
        }),
      ),
    steps: [
      {
        command: 'items import book.xlsx',
        answers: [['Which sheet has the rows?', '\r'], create('1 item')],
        exit: 0,
      },
    ],
    created: 1,
  },
  {
    who: 'an export of a web shop with two arrays',
    files: text(
      'shop.json',
      JSON.stringify({ brands: [{ id: 1 }], products: [{ sku: 'P-1', name: 'Oil' }] }),
    ),
    steps: [
      {
        command: 'items import shop.json',
        answers: [['Where are the records?', `${DOWN}\r`], USE, create('1 item')],
        exit: 0,
      },
    ],
    created: 1,
  },
  {
    who: 'invoices with credit notes and currencies in the cells',
    files: (here, order) =>
      here
        .file(
          'facturas.csv',
          `Factura;Importe;Orden de compra\nF-1;EUR 1.234,50;${order}\nF-2;5,00-;${order}\nF-3;(2,50);${order}\n`,
        )
        .then(() => undefined),
    steps: [
      {
        command: 'imputations import facturas.csv',
        answers: [USE, create('3 imputations')],
        exit: 0,
      },
    ],
    created: 3,
  },
  {
    who: 'amounts that may be thousands or thousandths',
    files: (here, order) =>
      here
        .file(
          'm.csv',
          `Rechnungsnummer;Betrag;Bestellung\nR-1;1.500;${order}\nR-2;2.000;${order}\n`,
        )
        .then(() => undefined),
    steps: [
      {
        command: 'imputations import m.csv',
        answers: [USE, ['Which number is 1.500 in amount?', '\r'], create('2 imputations')],
        exit: 0,
      },
    ],
    created: 2,
  },
  {
    who: 'a list in which two rows with one code differ',
    files: text('twice.csv', 'code,name\nD-1,Bolt\nD-1,Bolt M8\nD-2,Nut\n'),
    steps: [
      {
        command: 'items import twice.csv',
        answers: [['Which row of D-1 is created?', `${DOWN}\r`], create('2 items')],
        exit: 0,
      },
    ],
    created: 2,
  },
  {
    who: 'a list saved by an old Excel',
    files: text('viejo.csv', Buffer.from('Código;Nombre\nV-1;Válvula\nV-2;Caño\n', 'latin1')),
    steps: [
      {
        command: 'items import viejo.csv',
        answers: [['Read it as Windows-1252?', '\r'], USE, create('2 items')],
        exit: 0,
      },
    ],
    created: 2,
  },
  {
    who: 'a list with a row without a name, which is repaired',
    files: text('gap.csv', 'CODE,NAME\nG-1,Bolt\nG-2,\n'),
    steps: [
      { command: 'items import gap.csv', answers: [create('1 item')], exit: 8 },
      { command: 'items import gap.rejected.csv', answers: [create('1 item')], exit: 0 },
    ],
    created: 2,
  },
  {
    who: 'lines of requests in Spanish',
    files: text(
      'pedidos.csv',
      'Nro. de solicitud;Título;Artículo;Cantidad;Entrega\n1;Repuestos;Perno;4;Retiro\n1;Repuestos;Tuerca;8;Retiro\n2;Oficina;Papel;2;Envío\n',
    ),
    steps: [
      {
        command: 'requisition import pedidos.csv',
        answers: [['Which column holds the requisition?', '\r'], USE, create('2 requisitions')],
        exit: 0,
      },
    ],
    created: 2,
  },
  {
    who: 'lines of requests that do not say how they are delivered',
    files: text('requests.csv', 'Request,Part,Qty\nR-1,Bolt,2\nR-2,Nut,3\nR-1,Nut,1\n'),
    steps: [
      {
        command: 'requisition import requests.csv',
        answers: [
          ['Which column holds the requisition?', '\r'],
          ['No column fills group.deliveryMethod', '\r'],
          USE,
          create('2 requisitions'),
        ],
        exit: 0,
      },
    ],
    created: 2,
  },
  {
    who: 'a JSON export of requisitions that have their lines in an array',
    files: text(
      'export.json',
      JSON.stringify({
        export: {
          requisitions: [
            {
              number: 'R-77',
              subject: 'Parts',
              lines: [{ material: 'M-1', text: 'Bolt', qty: 2 }],
            },
            { number: 'R-78', subject: 'Paper', lines: [{ material: 'M-3', text: 'A4', qty: 5 }] },
          ],
        },
      }),
    ),
    steps: [
      {
        command: 'requisition import export.json',
        answers: [
          ['Where are the records?', '\r'],
          ['The lines seem to be in lines', '\r'],
          create('2 requisitions'),
        ],
        exit: 0,
      },
    ],
    created: 2,
  },
  {
    who: 'a SAP list with a title above its header and a total below',
    files: text(
      'bestand.csv',
      'Bestandsliste;;;\nWerk 1000;;;\n;;;\nMaterial;Materialkurztext;BME;Gesamtwert\n0100;Schraube;ST;1.234,50\n0200;Mutter;ST;99,90-\nSumme;;;1.134,60\n',
    ),
    steps: [
      {
        command: 'items import bestand.csv',
        answers: [['Which row is the header?', '\r'], USE, create('2 items')],
        exit: 8,
      },
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

it('a value of nested lines is named as the export names it', async () => {
  const sandbox = await loggedSandbox();
  onTestFinished(() => sandbox.close());
  const here = await freshWorld(sandbox.target);
  const lines = [
    { material: 'M-1', text: 'Bolt', qty: 2 },
    { material: 'M-2', text: 'Nut', qty: 0 },
  ];
  await here.file('a.json', JSON.stringify([{ subject: 'Parts', lines }], null, 1));
  const refused = await here.run(['requisition', 'import', 'a.json', '--dry-run']);
  const { error } = JSON.parse(refused.stderr);
  expect(error.message).toContain('its lines seem to be in lines');
  const planned = await runTyped(here, error.details.command);
  const { samples } = JSON.parse(planned.stdout);
  expect(samples.invalid[0].reason).toBe(
    'row 1, line 13: lines[1].qty: must be greater than 0, got 0',
  );
});

it('a person types at most two commands, and answers at most four questions', () => {
  const counts = PEOPLE.map(({ steps }) => ({
    commands: steps.length,
    questions: steps.reduce((sum, { answers }) => sum + answers.length, 0),
  }));
  expect(counts.every(({ commands, questions }) => commands <= 2 && questions <= 4)).toBe(true);
});
