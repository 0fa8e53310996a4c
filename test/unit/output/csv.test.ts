import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guarded } from '../../../src/core/text/formula-guard.ts';
import { csvHeader, csvRow } from '../../../src/output/format/csv.ts';
import { list, ORDERS, pages, rendered } from './rendering.ts';

describe('csv', () => {
  it('is RFC 4180: declared columns, then all others', async () => {
    const { stdout } = await rendered(list(pages(ORDERS, 1)), { output: 'csv' });
    expect(stdout).toBe(
      [
        'code,status,amount,title,id,currency,extra',
        'PO-00042,pending,23153.23,Bolts,ord_1,USD,',
        'PO-00043,approved,900,"Señal, ""50 km""",ord_2,CLP,',
        'PO-00044,,50000,工具一式,ord_3,USD,[1]',
        '',
      ].join('\r\n'),
    );
  });

  it('has its header even without rows', async () => {
    expect((await rendered(list([]), { output: 'csv' })).stdout).toBe(
      'code,status,amount,title\r\n',
    );
  });

  it('has exactly the requested fields', async () => {
    const { stdout } = await rendered(list(pages(ORDERS, 1)), {
      output: 'csv',
      fields: ['amount', 'id'],
    });
    expect(stdout).toBe('amount,id\r\n23153.23,ord_1\r\n900,ord_2\r\n50000,ord_3\r\n');
  });

  it('shows controls as escapes on a terminal and in a pipe', async () => {
    const rows = [{ code: 'a\u001b[2Jb' }];
    const flags = { output: 'csv', fields: ['code'] } as const;
    expect((await rendered(list(rows), flags, { terminal: true })).stdout).toBe(
      'code\na\\u001b[2Jb\n',
    );
    expect((await rendered(list(rows), flags)).stdout).toBe('code\r\na\u001b[2Jb\r\n');
  });

  it('can be read back, whatever the text', () => {
    const cell = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', '=1', ' a ', '"', '\r\n', ';', ','),
    );
    const table = fc
      .integer({ min: 1, max: 4 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 5 }),
      );
    fc.assert(
      fc.property(table, (rows) => {
        const fields = (rows[0] ?? ['']).map((_, index) => `f${index}`);
        const text =
          csvHeader(fields) +
          rows
            .map((cells) =>
              csvRow(Object.fromEntries(cells.map((one, i) => [`f${i}`, one])), fields),
            )
            .join('');
        const read = parse(text, { record_delimiter: '\r\n' });
        expect(read.map((cells) => cells.map(unguarded))).toEqual([fields, ...rows]);
      }),
    );
  });
});

/** What proc reads: an apostrophe before a formula is its own. */
function unguarded(cell: string): string {
  return cell.startsWith("'") && guarded(cell.slice(1)) === cell ? cell.slice(1) : cell;
}

describe('the guard against formulas', () => {
  const cell = (value: unknown): string => parse(csvRow({ value, b: '' }, ['value', 'b']))[0]![0]!;

  it.each(['=1+1', '+cmd', '-2+3', '@SUM(A1)', '\tx', '\rx', '\0x', '=HYPERLINK("http://a")'])(
    'prefixes %j',
    (text) => {
      expect(cell(text)).toBe(`'${text}`);
    },
  );

  it.each(['-12.5', '+3', '-1e3', 'a=b', '1-2', '', 'text'])('does not change %j', (text) => {
    expect(cell(text)).toBe(text);
  });

  it('does not change numbers, and covers names of fields', () => {
    expect(cell(-12.5)).toBe('-12.5');
    expect(csvHeader(['=a', 'b'])).toBe("'=a,b\r\n");
  });
});
