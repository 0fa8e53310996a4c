import { gzipSync } from 'node:zlib';

export type Noun = 'items' | 'imputations' | 'requisition';

/** A file with rows that are no data among the data, or a file that is not whole. */
export interface DoubtfulFile {
  readonly title: string;
  readonly noun: Noun;
  readonly content: string | Buffer;
  readonly name?: string;
  readonly flags?: readonly string[];
  readonly exitCode: number;
  /**
   * What SQL finds afterwards: code and name of items; reference and amount of imputations; title and
   * number of lines of requisitions.
   */
  readonly stored: readonly (readonly [string | null, string | number | null])[];
  /** A part of what stderr or the result says. */
  readonly says?: string;
  /** The same table as a workbook that LibreOffice saves means the same. */
  readonly asWorkbook?: true;
}

const file = (noun: Noun, title: string, rest: Omit<DoubtfulFile, 'noun' | 'title'>) => ({
  noun,
  title,
  ...rest,
});
const lines = (...all: readonly string[]) => all.map((line) => `${line}\n`).join('');
const MAP = ['--map', 'reference=Ref', '--map', 'account=Konto', '--map', 'amount=Betrag'];
const BOOKED = [...MAP, '--map', 'order=PO'];
const FLAT = [
  ...['--group-by', 'Request', '--map', 'title=Request', '--map', 'item.name=Part'],
  ...['--map', 'quantity=Qty', '--set', 'group.deliveryMethod=pickup'],
];
/** `PO` is an order of the sandbox. */
const booking = (...rows: readonly string[]) => lines('Ref;Konto;Betrag;PO', ...rows);
const ONE = [['R-1', 100.5]] as const;
const items = (...rows: readonly string[]) => lines('code,name,brand', ...rows);
const BOLT = [['A-1', 'Bolt']] as const;

export const DOUBTFUL_FILES: readonly DoubtfulFile[] = [
  ...['Gesamtsumme;;100.5;', 'Hoja 1 de 1;;;', 'Ref;Konto;Betrag;PO'].map((row) =>
    file('imputations', `an imputation and ${row}`, {
      content: booking('R-1;4010;100.5;PO', row),
      flags: BOOKED,
      exitCode: 8,
      stored: ONE,
      says: '--allow non-data',
      asWorkbook: true,
    }),
  ),
  ...[
    'Total général;;100.5;PO',
    'Montant total TTC;;100.5;PO',
    'À reporter;;100.5;PO',
    'Totale complessivo;;100.5;PO',
    'Riporto;;100.5;PO',
    'Soma;;100.5;PO',
    'Total da página;;100.5;PO',
    'Totaal;;100.5;PO',
    'Razem;;100.5;PO',
    '合计;;100.5;PO',
    'Итого:;;100.5;PO',
    'T O T A L;;100.5;PO',
    'Grand Total (EUR);;100.5;PO',
    'Subtotal — 4010;;100.5;PO',
    'Summe Konto 4010;;100.5;PO',
    'Total cuenta 4010;;100.5;PO',
    'Total a pagar;;100.5;PO',
    'Monatssumme;;100.5;PO',
    ';Saldovortrag;100.5;PO',
    ';[Total];100.5;PO',
  ].map((row) =>
    file('imputations', `an imputation and ${row}, with its order`, {
      content: booking('R-1;4010;100.5;PO', row),
      flags: BOOKED,
      exitCode: 8,
      stored: ONE,
      says: 'looks like a total',
      asWorkbook: true,
    }),
  ),
  ...[';;107.5;PO', 'Kaikkiaan;;107.5;PO', ';4010;107.5;PO'].map((row) =>
    file('imputations', `two imputations and their sum, ${row}`, {
      content: booking('R-1;4010;100.5;PO', 'R-2;4010;7;PO', row, 'R-3;4020;3;PO', ';;3;PO'),
      flags: BOOKED,
      exitCode: 8,
      stored: [...ONE, ['R-2', 7], ['R-3', 3]],
      says: 'is the sum of the rows above',
      asWorkbook: true,
    }),
  ),
  file('imputations', 'names that only look like totals, and amounts that happen to be sums', {
    content: booking(
      'Transporte;6240;50;PO',
      'Total Energies;6100;50;PO',
      'Balance Systems;6100;100;PO',
      'Total Energies F-12;6100;5;PO',
      'R-2;Transporte;5;PO',
      'R-3;Saldo;7;PO',
    ),
    flags: BOOKED,
    exitCode: 0,
    stored: [
      ['Transporte', 50],
      ['Total Energies', 50],
      ['Balance Systems', 100],
      ['Total Energies F-12', 5],
      ['R-2', 5],
      ['R-3', 7],
    ],
    asWorkbook: true,
  }),
  file('imputations', 'rows without references, of which one is the sum of others', {
    content: booking(';4010;50;PO', ';4020;50;PO', ';4030;100;PO'),
    flags: BOOKED,
    exitCode: 0,
    stored: [
      [null, 50],
      [null, 50],
      [null, 100],
    ],
  }),
  file('imputations', 'a total in the middle, between two rows', {
    content: booking('R-1;4010;100.5;PO', 'Subtotal;;100.5;', 'R-2;4010;7;PO'),
    flags: BOOKED,
    exitCode: 8,
    stored: [
      ['R-1', 100.5],
      ['R-2', 7],
    ],
    asWorkbook: true,
  }),
  file('imputations', 'a total, with --allow non-data, and nothing that it needs', {
    content: booking('R-1;4010;100.5;PO', 'Total;;100.5;'),
    flags: [...BOOKED, '--allow', 'non-data'],
    exitCode: 8,
    stored: ONE,
    says: 'has neither order nor contract',
  }),
  file('imputations', 'a row without an amount', {
    content: booking('R-1;4010;100.5;PO', 'R-2;4010;;PO'),
    flags: BOOKED,
    exitCode: 8,
    stored: ONE,
    says: 'is missing, and imputations cannot be deleted',
    asWorkbook: true,
  }),
  file('imputations', 'a row with neither order nor contract', {
    content: booking('R-1;4010;100.5;PO', 'R-2;4010;5;'),
    flags: BOOKED,
    exitCode: 8,
    stored: ONE,
    says: 'has neither order nor contract',
    asWorkbook: true,
  }),
  file('imputations', 'rows without an amount, with --allow missing', {
    content: booking('R-1;4010;;PO'),
    flags: [...BOOKED, '--allow', 'missing'],
    exitCode: 0,
    stored: [['R-1', null]],
    says: 'has no amount',
  }),
  file('imputations', 'a mapping without the amount', {
    content: booking('R-1;4010;100.5;PO'),
    flags: ['--map', 'reference=Ref', '--map', 'order=PO'],
    exitCode: 2,
    stored: [],
    says: '--map amount=COLUMN',
  }),
  file('imputations', 'headers in German, of which none means the amount', {
    content: lines('Beleg;Konto;Spalte 3;Bestellung', 'R-1;4010;100.5;PO'),
    exitCode: 2,
    stored: [],
    says: 'no column of',
  }),
  file('imputations', 'an amount of 0', {
    content: booking('R-1;4010;0;PO'),
    flags: BOOKED,
    exitCode: 0,
    stored: [['R-1', 0]],
    says: 'has the amount 0',
    asWorkbook: true,
  }),
  file('imputations', 'both decimal separators in one column', {
    content: booking('R-1;1;1.234,50;PO', 'R-2;2;1,234.50;PO', 'R-3;3;1,500;PO', 'R-4;4;7;PO'),
    flags: BOOKED,
    exitCode: 8,
    stored: [
      ['R-1', 1234.5],
      ['R-2', 1234.5],
      ['R-4', 7],
    ],
    says: '--allow mixed-marks',
  }),
  file('imputations', 'both decimal separators, although --decimal names one', {
    content: booking('R-1;1;1.234,50;PO', 'R-2;2;1,234.50;PO', 'R-3;3;1,500;PO'),
    flags: [...BOOKED, '--decimal', ','],
    exitCode: 8,
    stored: [
      ['R-1', 1234.5],
      ['R-2', 1234.5],
    ],
    says: '--allow mixed-marks',
  }),
  file('imputations', 'another cell decides what an ambiguous number means', {
    content: booking('R-1;1;2.000;PO', 'R-2;2;12,75;PO'),
    flags: BOOKED,
    exitCode: 0,
    stored: [
      ['R-1', 2000],
      ['R-2', 12.75],
    ],
  }),
  file('imputations', 'a placeholder as an account and as a reference', {
    content: booking('R-1;4010;100.5;PO', 'N/A;4010;5;PO', 'R-3;?;5;PO'),
    flags: BOOKED,
    exitCode: 8,
    stored: ONE,
    says: 'stands for a missing value',
    asWorkbook: true,
  }),
  ...[
    'Gesamt,2,',
    '#BEZUG!,Nut,x',
    'A-2,#NV,x',
    'A-2,k. A.,x',
    'A-2,#VALEUR!,x',
    '#NOME?,Nut,x',
    'n.d.,Nut,x',
    'A-2,(vuoto),x',
    'A-2,ohne,x',
    'Totale,2,',
    'Total général,2 articles,',
    'Stampato il 31/01/2026,x,',
    'Fin du rapport,x,',
    'Data de impressão: 31/01/2026,x,',
    '3 lignes,x,',
    'A-2,Nu\ufffdt,x',
    'A-2,Nu\u200bt,x',
    'A-2,,x',
    ',Nut,x',
  ].map((row) =>
    file('items', `an item and ${JSON.stringify(row)}`, {
      content: items('A-1,Bolt,x', row),
      exitCode: 8,
      stored: BOLT,
      asWorkbook: true,
    }),
  ),
  ...[
    '[text],[text],[text]',
    'CHAR(18),CHAR(40),',
    'Code,Désignation,Marque',
    'obbligatorio,facoltativo,',
    'z. B. HB-12,z. B. Schraube,',
    'max. 18 Zeichen,max. 40 Zeichen,',
    'A,B,C',
  ].map((row) =>
    file('items', `below the header ${row}`, {
      content: items(row, 'A-1,Bolt,x'),
      exitCode: 8,
      stored: BOLT,
      says: 'units or types',
      asWorkbook: true,
    }),
  ),
  file('items', 'below the header the names of another header', {
    content: items('MATNR,MAKTX,MFRNR', 'A-1,Bolt,x'),
    exitCode: 8,
    stored: BOLT,
    says: 'repeats the header',
    asWorkbook: true,
  }),
  file('items', 'names that only look like totals, footers and placeholders', {
    content: items(
      'LUB-1,Total Quartz 9000,Total',
      'TOTAL-5,Engine oil,Total',
      'P-1,Printed circuit board,x',
      'P-2,Page holder A4,x',
      'SL-1,Summer tyre,x',
      'N-1,Nullventil,x',
      'K-1,Kit 👩\u200d🔧,x',
      'TS-1,Total Station,x',
      'PC-1,Page Clips,x',
      'SUM-1,Sump pump,x',
      'SUM 100,Pump,x',
      'TOTAL 9000,Engine oil,Total',
      'TR-1,Transporte,x',
      'GT-1,Grand Total,x',
      'HS-1,Hoja 1,x',
      'CD-1,Created on demand kit,x',
      'R-3,3 rows connector,x',
      'KG,kg,x',
      'X-1,Code,x',
      'VAN,VAN,',
      'SUM 200,SUM 200,',
    ),
    exitCode: 0,
    stored: [
      ['LUB-1', 'Total Quartz 9000'],
      ['TOTAL-5', 'Engine oil'],
      ['P-1', 'Printed circuit board'],
      ['P-2', 'Page holder A4'],
      ['SL-1', 'Summer tyre'],
      ['N-1', 'Nullventil'],
      ['K-1', 'Kit 👩\u200d🔧'],
      ['TS-1', 'Total Station'],
      ['PC-1', 'Page Clips'],
      ['SUM-1', 'Sump pump'],
      ['SUM 100', 'Pump'],
      ['TOTAL 9000', 'Engine oil'],
      ['TR-1', 'Transporte'],
      ['GT-1', 'Grand Total'],
      ['HS-1', 'Hoja 1'],
      ['CD-1', 'Created on demand kit'],
      ['R-3', '3 rows connector'],
      ['KG', 'kg'],
      ['X-1', 'Code'],
      ['VAN', 'VAN'],
      ['SUM 200', 'SUM 200'],
    ],
    asWorkbook: true,
  }),
  file('items', 'marks that keep leading zeros', {
    content: items('="00123",Bolt,x', "'00124,Nut,x", '="AB-1",="Screw",x'),
    exitCode: 0,
    stored: [
      ['00123', 'Bolt'],
      ['00124', 'Nut'],
      ['AB-1', 'Screw'],
    ],
    says: '"unguarded": 4',
  }),
  file('items', 'marks, with --csv-raw', {
    content: items('="00123",Bolt,x'),
    flags: ['--csv-raw'],
    exitCode: 0,
    stored: [['="00123"', 'Bolt']],
  }),
  file('items', 'a formula as a code', {
    content: items('A-1,Bolt,x', '=A1&B1,Nut,x', "'A-3,Saw,x"),
    exitCode: 8,
    stored: BOLT,
    says: '--allow formula-codes',
  }),
  file('items', 'text in a wrong encoding, and entities', {
    content: items('A-1,VÃ¡lvula,x', 'A-2,Nut &amp; bolt,x'),
    exitCode: 0,
    stored: [
      ['A-1', 'VÃ¡lvula'],
      ['A-2', 'Nut &amp; bolt'],
    ],
    says: 'wrong encoding',
    asWorkbook: true,
  }),
  file('items', 'gzip that ends too early', {
    name: 'items.csv.gz',
    content: (() => {
      const rows = Array.from({ length: 4000 }, (_, n) => `G-${n},Name ${(n * 7919) % 4001},x`);
      const whole = gzipSync(items(...rows));
      return whole.subarray(0, Math.floor(whole.length * 0.7));
    })(),
    exitCode: 2,
    stored: [],
    says: 'the gzip data ends too early; nothing was sent',
  }),
  file('items', 'JSON that ends too early, in a strict dry run', {
    name: 'items.json',
    content: '[{"code":"A-1","name":"Bolt"},{"code":"A-2","na',
    flags: ['--strict', '--dry-run'],
    exitCode: 2,
    stored: [],
    says: 'the file ends in the middle of row 2',
  }),
  file('items', 'NDJSON that ends in the middle of a row', {
    name: 'items.ndjson',
    content: '{"code":"A-1","name":"Bolt"}\n{"code":"A-2","na',
    exitCode: 2,
    stored: [],
    says: 'the file ends in the middle of row 2; nothing was sent',
  }),
  file('items', 'JSON that ends too early, with --allow incomplete', {
    name: 'items.json',
    content: '[{"code":"A-1","name":"Bolt"},{"code":"A-2","na',
    flags: ['--allow', 'incomplete'],
    exitCode: 8,
    stored: BOLT,
  }),
  file('items', 'a header without rows', {
    content: items(),
    exitCode: 2,
    stored: [],
    says: '--allow incomplete',
    asWorkbook: true,
  }),
  file('items', 'a header without rows, with --allow incomplete', {
    content: items(),
    flags: ['--allow', 'incomplete'],
    exitCode: 0,
    stored: [],
  }),
  file('items', 'Material beside its description is the code', {
    content: lines('Material;Materialkurztext;Werkstoff', 'M-1;Schraube;Stahl'),
    exitCode: 2,
    stored: [],
    says: '--map code=Material',
  }),
  file('requisition', 'a delivery without an address', {
    content: lines('Request,Part,Qty', 'REQ-1,Bolt,1'),
    flags: [...FLAT.slice(0, -1), 'group.deliveryMethod=delivery'],
    exitCode: 0,
    stored: [['REQ-1', 1]],
    says: 'a delivery without an address',
    asWorkbook: true,
  }),
  file('requisition', 'a delivery without an address, with --strict', {
    content: lines('Request,Part,Qty', 'REQ-1,Bolt,1'),
    flags: [...FLAT.slice(0, -1), 'group.deliveryMethod=delivery', '--strict'],
    exitCode: 2,
    stored: [],
    says: 'a delivery without an address',
  }),
  file('requisition', 'empty keys below a key', {
    content: lines('Request,Part,Qty', 'REQ-1,Bolt,1', ',Nut,2', ',Saw,3'),
    flags: FLAT,
    exitCode: 2,
    stored: [],
    says: '--fill-down Request',
    asWorkbook: true,
  }),
  file('requisition', 'empty keys with --fill-down, and a total', {
    content: lines('Request,Part,Qty', 'REQ-1,Bolt,1', ',Nut,2', 'REQ-2,Saw,3', ',Total,6'),
    flags: [...FLAT, '--fill-down', 'Request'],
    exitCode: 8,
    stored: [
      ['REQ-1', 2],
      ['REQ-2', 1],
    ],
    says: 'looks like a total',
    asWorkbook: true,
  }),
  file('requisition', 'a line that cannot be read rejects its whole requisition', {
    content: lines('Request,Part,Qty', 'REQ-1,Bolt,1', 'REQ-1,"Nut",,2,9', 'REQ-2,Saw,3'),
    flags: FLAT,
    exitCode: 8,
    stored: [['REQ-2', 1]],
  }),
];
