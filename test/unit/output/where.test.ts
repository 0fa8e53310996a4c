import { describe, expect, it } from 'vitest';
import { rawNumber } from '../../../src/core/numbers.ts';
import { matches, parseWhere } from '../../../src/output/select.ts';
import { list, ORDERS, pages, rendered } from './rendering.ts';

const meets = (condition: string, row: object) =>
  matches(row as Record<string, unknown>, parseWhere([condition]));

describe('--where', () => {
  it.each([
    ['amount>=50000', { amount: 50000 }, true],
    ['amount > 50000', { amount: 50000 }, false],
    ['amount=0.3', { amount: 0.3 }, true],
    ['amount=0.30', { amount: 0.3 }, true],
    ['amount=1000', { amount: 1e3 }, true],
    ['amount<-5', { amount: -5.01 }, true],
    ['amount=9007199254740993', { amount: rawNumber('9007199254740993') }, true],
    ['amount=9007199254740992', { amount: rawNumber('9007199254740993') }, false],
    ['amount>9007199254740992', { amount: rawNumber('9007199254740993') }, true],
    ['amount!=abc', { amount: 5 }, true],
    ['amount>=1000', { amount: '987' }, false],
    ['amount>=1000', { amount: '1000.00' }, true],
    ['amount=987', { amount: '987.00' }, true],
    ['amount!=987', { amount: '987.00' }, false],
    ['lines.0.quantity<10', { lines: [{ quantity: '9' }] }, true],
    ['unitPrice<10', { unitPrice: '9.5' }, true],
    ['amount<10', { amount: '' }, false],
    ['amount=', { amount: '' }, true],
    ['amount=n/a', { amount: 'n/a' }, true],
    ['amount~98', { amount: '987.00' }, true],
    ['status=pending', { status: 'pending' }, true],
    ['status=Pending', { status: 'pending' }, false],
    ['status!=pending', { status: null }, true],
    ['status!=pending', {}, true],
    ['status=', {}, true],
    ['status=', { status: '' }, true],
    ['status!=', { status: 'a' }, true],
    ['status<z', {}, false],
    ['code=42', { code: '00042' }, false],
    ['code>=PO-00042', { code: 'PO-00043' }, true],
    ['title~BOLT', { title: 'Steel bolts' }, true],
    ['title~a=b', { title: 'x a=b' }, true],
    ['title=a b', { title: 'a b' }, true],
    ['address.city=Cusco', { address: { city: 'Cusco' } }, true],
    ['lines.0.sku=A', { lines: [{ sku: 'A' }] }, true],
    ['a.b=1', { 'a.b': 1 }, true],
    ['active=true', { active: true }, true],
    ['toString~function', {}, false],
    ['createdAt>=2025-02-01', { createdAt: '2025-02-03T10:00:00Z' }, true],
    ['createdAt<=2026-11-29', { createdAt: '2026-11-29T00:00:00Z' }, true],
    ['createdAt<=2026-11-29', { createdAt: '2026-11-29T00:00:01Z' }, false],
    ['createdAt<2026-11-29', { createdAt: '2026-11-29T00:30:00+01:00' }, true],
    ['createdAt=2026-11-29T00:00:00.000Z', { createdAt: '2026-11-29T00:00:00Z' }, true],
    ['createdAt!=2026-11-29T01:00:00+01:00', { createdAt: '2026-11-29' }, false],
    ['createdAt>2026-11-29T00:00:00Z', { createdAt: '2026-11-29T00:00:00.001Z' }, true],
    ['code=2026-11-29x', { code: '2026-11-29' }, false],
  ])('%s on %j: %s', (condition, row, expected) => {
    expect(meets(condition, row)).toBe(expected);
  });

  it.each(['amount', '', '>=5', '=x', 'amount 5', 'a b=1', 'status==pending'])(
    '%j is refused before anything is sent',
    async (text) => {
      await expect(rendered(list(ORDERS), { where: [text] })).rejects.toMatchObject({
        code: 'invalid_usage',
        exitCode: 2,
        message: expect.stringContaining(`--where '${text}'`),
      });
    },
  );

  it.each(['amount<x', 'amount>10OO', 'amount>=1,00'])(
    '%s compares an amount with text, which is refused',
    async (text) => {
      await expect(rendered(list(ORDERS), { where: [text] })).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringContaining('is not a number'),
      });
    },
  );

  it.each([
    ['amount>50.000', 'amount>50000', 'amount>50.0000'],
    ['amount=1,000', 'amount=1000', 'amount=1.0000'],
    ['quantity!=-12.345', 'quantity!=-12345', 'quantity!=-12.3450'],
  ])('%s is ambiguous, and refused with both spellings', async (text, grouped, divided) => {
    const rows = [{ amount: 900, quantity: 3 }];
    await expect(rendered(list(rows), { where: [text] })).rejects.toMatchObject({
      exitCode: 2,
      hint: `Write --where '${grouped}' or --where '${divided}'`,
    });
  });

  it('takes an ambiguous number where the field is text, and 0.125 as it is', async () => {
    const rows = [{ code: '1.000', amount: 0.5 }];
    for (const text of ['code=1.000', 'amount>0.125', 'amount~1.000']) {
      const { exitCode } = await rendered(list(rows), { where: [text] });
      expect(exitCode).toBe(0);
    }
  });

  it('filters the fetched rows by all conditions together, and says so', async () => {
    const { stdout, stderr } = await rendered(list(pages(ORDERS, 1)), {
      where: ['amount>=1000', 'currency=USD'],
      output: 'id',
    });
    expect(stdout).toBe('ord_1\nord_3\n');
    expect(JSON.parse(stderr)).toEqual({ notice: '--where: 2 of 3 fetched rows match' });
  });
});

describe('a field that neither the command nor a row has', () => {
  const rows = [
    { code: 'A', delivery: null },
    { code: 'B', place: { city: 'Cusco' } },
  ];
  const known = { fields: ['id', 'code', 'address'], columns: [] };
  const tried = (flags: Parameters<typeof rendered>[1], of: readonly object[] = rows) =>
    rendered(list(of as never, known), flags);

  it.each([
    [{ where: ['kode=A'] }, '--where: no row has a field "kode"', 'Did you mean code?'],
    [{ fields: ['code', 'kode'] }, '--fields: no row has a field "kode"', 'Did you mean code?'],
    [{ query: '[].kode' }, '--query: no row has a field "kode"', 'Did you mean code?'],
  ])('%o is refused once rows were read', async (flags, message, hint) => {
    for (const output of ['json', 'csv', 'table', 'id'] as const) {
      await expect(tried({ ...flags, output })).rejects.toMatchObject({
        code: 'invalid_usage',
        exitCode: 2,
        message,
        hint: expect.stringContaining(hint),
      });
    }
    expect(await tried(flags, [])).toMatchObject({ exitCode: 0 });
  });

  it.each([
    { where: ['id=1'] },
    { fields: ['address.city', 'delivery.at', 'place.city'] },
    { query: '[].address' },
    { query: '[].{c: code} | [].c' },
  ])('%o may only be empty now', async (flags) => {
    expect(await tried(flags)).toMatchObject({ exitCode: 0 });
  });

  it.each([{ where: ['place.city=Cusco'] }, { sort: 'place' }, { fields: ['place'] }])(
    '%o is of a row of a later page',
    async (flags) => {
      const { stdout } = await rendered(list(pages(rows, 1), known), { ...flags, output: 'json' });
      expect(stdout).toContain('Cusco');
    },
  );

  it('is refused also if the command documents no fields, and of a record that was read', async () => {
    await expect(rendered(list(rows, { columns: [] }), { fields: ['x'] })).rejects.toThrow('"x"');
    const record = { kind: 'record', value: rows[0]!, fields: ['id'] } as const;
    await expect(rendered(record, { fields: ['kode'] })).rejects.toThrow('"kode"');
    await expect(rendered(record, { query: 'kode' })).rejects.toThrow('"kode"');
    expect((await rendered(record, { query: 'id' })).stdout).toBe('null\n');
  });
});

describe('sorting by proc', () => {
  const rows = [
    { id: 1, amount: '10.5' },
    { id: 2, amount: 9 },
    { id: 3 },
    { id: 4, amount: 'n/a' },
    { id: 5, amount: rawNumber('10.50000000000000000001') },
  ];
  it.each([
    ['asc', '2\n1\n5\n4\n3\n'],
    ['desc', '4\n5\n1\n2\n3\n'],
  ] as const)('%s: amounts exactly, rows without the field last', async (dir, ids) => {
    const sort = { field: 'amount', dir };
    const all = await rendered(list(pages(rows, 2), { sort }), { output: 'id' });
    expect(all.stdout).toBe(ids);
    const first = await rendered(list(pages(rows, 2), { sort }), { output: 'id', limit: 1 });
    expect(first.stdout).toBe(ids.slice(0, 2));
  });

  it('refuses a field that no row has', async () => {
    await expect(rendered(list(rows), { sort: 'amuont' })).rejects.toThrow('--sort: no row has');
  });
});
