import { describe, expect, it } from 'vitest';
import { list, ORDERS, pages, rendered } from './rendering.ts';

const FORMATS = ['table', 'json', 'ndjson', 'csv', 'id'] as const;

describe('--query', () => {
  it('sees the whole result, however many pages it has, in every format', async () => {
    const expected = { table: '3\n', json: '3\n', ndjson: '3\n', csv: 'value\r\n3\r\n', id: '3\n' };
    for (const output of FORMATS) {
      const { stdout } = await rendered(list(pages(ORDERS, 1)), { query: 'length(@)', output });
      expect(stdout).toBe(expected[output]);
    }
  });

  it('keeps the columns if it only selected rows', async () => {
    const query = '[?amount > `1000`]';
    const { stdout } = await rendered(list(ORDERS), { query, output: 'table' });
    expect(stdout.split('\n')[0]).toMatch(/^CODE +STATUS +AMOUNT +TITLE$/);
    expect(stdout).toContain('23,153.23 USD');
    expect((await rendered(list(ORDERS), { query, output: 'id' })).stdout).toBe('ord_1\nord_3\n');
  });

  it('makes columns of the fields it created', async () => {
    const query = '[].{c: code, n: amount}';
    expect((await rendered(list(ORDERS.slice(0, 2)), { query, output: 'table' })).stdout).toBe(
      'C                N\n────────  ────────\nPO-00042  23153.23\nPO-00043       900\n',
    );
    expect((await rendered(list(ORDERS.slice(0, 2)), { query, output: 'csv' })).stdout).toBe(
      'c,n\r\nPO-00042,23153.23\r\nPO-00043,900\r\n',
    );
  });

  it('prints lists of values line by line', async () => {
    const query = '[].code';
    expect((await rendered(list(ORDERS), { query, output: 'id' })).stdout).toBe(
      'PO-00042\nPO-00043\nPO-00044\n',
    );
    expect((await rendered(list(ORDERS), { query, output: 'csv' })).stdout).toMatch(
      /^value\r\nPO-00042\r\n/,
    );
    const pairs = { query: '[].[code, currency]', output: 'csv' } as const;
    expect((await rendered(list(ORDERS), pairs)).stdout).toMatch(/^1,2\r\nPO-00042,USD\r\n/);
  });

  it('with the result null is null in JSON and a notice elsewhere', async () => {
    expect((await rendered(list(ORDERS), { query: '[99].code' })).stdout).toBe('null\n');
    const table = await rendered(list(ORDERS), { query: '[99].code', output: 'table' });
    expect(table.stdout).toBe('');
    expect(table.stderr).toBe('--query: the result is null\n');
  });

  it.each(['[?a==', '', 'a b', '[].{c: code,, d: x}', '[?status==`pending`]', 'a # b'])(
    '%j is refused before anything is sent',
    async (query) => {
      await expect(rendered(list(ORDERS), { query })).rejects.toMatchObject({
        code: 'invalid_usage',
        exitCode: 2,
        message: expect.stringContaining(query),
      });
    },
  );

  it('that does not fit the data is a usage error', async () => {
    for (const query of ['abs(@)', 'nofunction(@)'])
      await expect(rendered(list(ORDERS), { query })).rejects.toMatchObject({ exitCode: 2 });
  });
});

describe('--fields', () => {
  it('selects and orders, also inside values, and omits fields that a row lacks', async () => {
    const rows = [
      { b: 1, a: { c: 2 }, d: 3 },
      { a: {}, b: null },
    ];
    const { stdout } = await rendered(list(rows), { fields: ['a.c', 'b'], output: 'ndjson' });
    expect(stdout).toBe('{"a.c":2,"b":1}\n{"b":null}\n');
  });
});
