import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { amountText } from '../../../src/output/cell.ts';
import { recordTable, rowsTable } from '../../../src/output/table.ts';
import { paint } from '../../../src/terminal/terminal.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { COLUMNS, list, ORDERS, rendered } from './rendering.ts';

const plain = (width?: number) => ({ width, paint: paint(false) });

describe('a table', () => {
  it('aligns numbers right, groups amounts, measures wide characters', async () => {
    const { stdout } = await rendered(list(ORDERS), {}, { terminal: true });
    expect(stdout).toBe(
      [
        'CODE      STATUS           AMOUNT  TITLE',
        '────────  ────────  ─────────────  ──────────────',
        'PO-00042  pending   23,153.23 USD  Bolts',
        'PO-00043  approved        900 CLP  Señal, "50 km"',
        'PO-00044            50,000.00 USD  工具一式',
        '',
      ].join('\n'),
    );
  });

  it('truncates the columns of low priority first, never a number', async () => {
    const { stdout } = await rendered(list(ORDERS), {}, { terminal: true, columns: 44 });
    expect(stdout).toBe(
      [
        'CODE      STATUS           AMOUNT  TITLE',
        '────────  ────────  ─────────────  ─────────',
        'PO-00042  pending   23,153.23 USD  Bolts',
        'PO-00043  approved        900 CLP  Señal, "…',
        'PO-00044            50,000.00 USD  工具一式',
        '',
      ].join('\n'),
    );
  });

  it('shows a list of texts as one text, and anything deeper as JSON', async () => {
    const rows = [{ code: ['a', 'b'], title: [{ x: 1 }] }];
    const { stdout } = await rendered(list(rows), { output: 'table' });
    expect(stdout.split('\n')[2]).toMatch(/^a, b +\[\{"x":1\}\]$/);
  });

  it('is bold and dim only with colour', async () => {
    const { stdout } = await rendered(list(ORDERS), { color: 'always', output: 'table' });
    expect(stdout).toMatch(/^\u001b\[1m/);
    expect((await rendered(list(ORDERS), { output: 'table' })).stdout).not.toContain('\u001b');
  });

  it('never has a line wider than the terminal, nor a raw control', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: anyCharacter }),
      fc.constantFrom('工具一式工具一式', '👩‍👩‍👧👩‍👩‍👧', '\u001b[31m', 'e\u0301'.repeat(30), ''),
    );
    const cell = fc.oneof(
      unit,
      fc.double(),
      fc.integer(),
      fc.constantFrom(null, { a: [1, { b: 'x' }] }),
    );
    const row = fc.record({ code: cell, status: cell, amount: cell, title: cell, currency: unit });
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 5 }),
        fc.integer({ min: 5, max: 100 }),
        (rows, width) => {
          const text = rowsTable(COLUMNS, rows, plain(width)).text;
          const record = recordTable(COLUMNS, rows[0] ?? {}, plain(width));
          const widths = text.split('\n').map((line) => stringWidth(line));
          expect(Math.max(...widths)).toBeLessThanOrEqual(width);
          expect(text + record).not.toMatch(
            /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/,
          );
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe('a record', () => {
  const value = {
    id: 'adr_1',
    city: 'Cusco',
    tags: { a: 1 },
    missing: null,
    note: 'long '.repeat(12),
  };

  it('is a list of all its fields, the declared ones first, with long values wrapped', async () => {
    const columns = [{ key: 'city', header: 'City' }];
    const { stdout } = await rendered(
      { kind: 'record', columns, value },
      {},
      { terminal: true, columns: 40 },
    );
    expect(stdout.split('\n')).toEqual([
      'CITY     Cusco',
      'ID       adr_1',
      'TAGS     a: 1',
      'MISSING',
      'NOTE     long long long long long long',
      '         long long long long long long',
      '',
    ]);
  });

  it('shows nested values as indented text, broken between words only', async () => {
    const nested = {
      id: 'h-1',
      empty: {},
      payload: {
        title: 'Desks and chairs for the new office on the third floor',
        groups: [
          { deliveryMethod: 'pickup', items: [{ quantity: 3, itemId: 'itm-1' }] },
          { deliveryMethod: 'delivery', items: [] },
        ],
        tags: ['a', 'b'],
      },
    };
    const { stdout } = await rendered(
      { kind: 'record', value: nested },
      {},
      { terminal: true, columns: 40 },
    );
    expect(stdout.split('\n')).toEqual([
      'ID       h-1',
      'EMPTY    {}',
      'PAYLOAD  title: Desks and chairs for the',
      '         new office on the third floor',
      '         groups:',
      '           - deliveryMethod: pickup',
      '             items:',
      '               - quantity: 3',
      '                 itemId: itm-1',
      '           - deliveryMethod: delivery',
      '             items:',
      '         tags: a, b',
      '',
    ]);
  });
});

describe('kinds of columns', () => {
  const RUNS = [
    { key: 'run', header: 'RUN', priority: 4 },
    { key: 'state', header: 'STATE', priority: 4 },
    { key: 'rows', header: 'ROWS', kind: 'count', priority: 2 },
    { key: 'startedAt', header: 'STARTED AT', kind: 'date', priority: 0 },
    { key: 'source', header: 'SOURCE' },
  ] as const;
  const run = (startedAt: string) => ({
    ...{ run: 'r1', state: 'finished', rows: 1234567, startedAt, source: 'a long name.csv' },
  });
  const shown = (rows: readonly object[], columns: number) =>
    rendered(list(rows as never, { columns: RUNS }), {}, { terminal: true, columns });

  it.each([
    ['2026-03-01T11:59:30Z', '2026-03-01 11:59Z'],
    ['2026-02-19T09:00:00.123+02:00', '2026-02-19 09:00+02:00'],
    ['2026-01-01T00:00:00Z', '2026-01-01'],
    ['tomorrow', 'tomorrow'],
  ])('%s is shown as %s', async (startedAt, expected) => {
    const { stdout } = await shown([run(startedAt)], 100);
    expect(stdout.split('\n')[2]).toContain(`  ${expected}  `);
  });

  it('counts have separators in tables only', async () => {
    expect((await shown([run('')], 100)).stdout).toContain('1,234,567');
    const result = list([run('')], { columns: RUNS });
    for (const output of ['csv', 'json', 'ndjson'] as const) {
      expect((await rendered(result, { output })).stdout).toContain('1234567');
    }
  });

  it('a narrow terminal hides columns by importance, and says which', async () => {
    const rows = [run('2026-03-01T09:00:00Z')];
    const at = async (columns: number) => {
      const { stdout, stderr } = await shown(rows, columns);
      const hidden = /Hidden columns: (.*)\. To see/.exec(stderr.replace(/\s+/g, ' '));
      return [stdout.split('\n')[0], hidden?.[1]];
    };
    expect(await at(66)).toEqual([
      'RUN  STATE          ROWS  STARTED AT         SOURCE',
      undefined,
    ]);
    expect(await at(45)).toEqual(['RUN  STATE          ROWS  SOURCE', 'STARTED AT']);
    expect(await at(30)).toEqual(['RUN  STATE          ROWS', 'STARTED AT, SOURCE']);
    expect(await at(16)).toEqual(['RUN  STATE', 'ROWS, STARTED AT, SOURCE']);
  });

  it('a column of dates that no row has is left out', async () => {
    const { stdout } = await shown([{ run: 'r1', state: 'x' }], 100);
    expect(stdout).not.toContain('STARTED');
  });
});

describe('an amount', () => {
  it.each([
    ['23153.23', 'USD', '23,153.23 USD'],
    ['5', 'CLP', '5 CLP'],
    ['0.3', 'KWD', '0.300 KWD'],
    ['0.5', 'JPY', '0.5 JPY'],
    ['-1234567.5', 'USD', '-1,234,567.50 USD'],
    ['0.123456789', undefined, '0.123456789'],
    ['1e+21', 'USD', '1,000,000,000,000,000,000,000.00 USD'],
    ['1e-7', null, '0.0000001'],
    ['12345678901234567890.12', 'USD', '12,345,678,901,234,567,890.12 USD'],
  ])('%s in %s is %s', (digits, currency, expected) => {
    expect(amountText(digits, currency)).toBe(expected);
  });
});
