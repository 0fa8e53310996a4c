import { describe, expect, it } from 'vitest';
import { matches, parseWhere } from '../../../src/output/select/where.ts';
import { list, ORDERS, pages, rendered } from './rendering.ts';

const raw = (text: string): unknown =>
  (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
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
    ['amount=9007199254740993', { amount: raw('9007199254740993') }, true],
    ['amount=9007199254740992', { amount: raw('9007199254740993') }, false],
    ['amount>9007199254740992', { amount: raw('9007199254740993') }, true],
    ['status in pending,approved', { status: 'approved' }, true],
    ['status in pending, approved', { status: 'sent' }, false],
    ['title in "a, b",c', { title: 'a, b' }, true],
    ['amount in 5,7', { amount: 7.0 }, true],
    ['status in pending', {}, false],
    ['amount!=abc', { amount: 5 }, true],
    ['amount>=1000', { amount: '987' }, false],
    ['amount>=1000', { amount: '1000.00' }, true],
    ['amount=987', { amount: '987.00' }, true],
    ['amount!=987', { amount: '987.00' }, false],
    ['amount in 5,7', { amount: '7.00' }, true],
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
  ])('%s on %j: %s', (condition, row, expected) => {
    expect(meets(condition, row)).toBe(expected);
  });

  it.each(['amount', '', '>=5', '=x', 'amount 5', 'a b=1'])(
    '%j is refused before anything is sent',
    async (text) => {
      await expect(rendered(list(ORDERS), { where: [text] })).rejects.toMatchObject({
        code: 'invalid_usage',
        exitCode: 2,
        message: expect.stringContaining(`--where '${text}'`),
      });
    },
  );

  it.each(['amount<x', 'amount<=x', 'amount>x', 'amount>=1,00'])(
    '%s compares a number with text, which is refused',
    async (text) => {
      await expect(rendered(list(ORDERS), { where: [text] })).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringContaining('amount is a number'),
      });
    },
  );

  it.each([
    ['amount>50.000', 'amount>50000', 'amount>50.0000'],
    ['amount=1,000', 'amount=1000', 'amount=1.0000'],
    ['amount in 900,1.000', 'amount in 900,1000', 'amount in 900,1.0000'],
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

  it('refuses to compare an amount that is no number with a number', () => {
    expect(() => meets('amount>=1000', { amount: '1.234,50' })).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: expect.stringContaining('amount is "1.234,50" in a row, expected a number'),
      }),
    );
    const rows = [{ amount: 'n/a' }, { amount: '2' }];
    const conditions = parseWhere(['amount!=n/a', 'amount>1']);
    expect(rows.filter((row) => matches(row, conditions))).toEqual([{ amount: '2' }]);
    expect(() => meets('amount>x', { amount: '5' })).toThrow('amount is a number');
  });

  it('names the range of amounts that are text', async () => {
    const rows = Array.from({ length: 12 }, (_, at) => ({ id: `o${at}`, amount: `${at + 5}.50` }));
    const { stderr } = await rendered(list(rows), { where: ['amount>100'] });
    expect(stderr).toMatch(/amount\W+ are between 5\.50 and 16\.50/);
  });

  it('reports == as a mistake', () => {
    expect(() => parseWhere(['status==pending'])).toThrow(
      expect.objectContaining({ hint: "Use --where 'status=pending'" }),
    );
  });

  it('filters the fetched rows by all conditions together, and says so', async () => {
    const { stdout, stderr } = await rendered(list(pages(ORDERS, 1)), {
      where: ['amount>=1000', 'currency=USD'],
      output: 'id',
    });
    expect(stdout).toBe('ord_1\nord_3\n');
    expect(stderr).toBe('--where: 2 of 3 fetched rows match\n');
  });

  it('says so in JSON lines for scripts', async () => {
    const { stdout, stderr } = await rendered(list(ORDERS), { where: ['amount>99999'] });
    expect({ stdout, stderr }).toEqual({
      stdout: '[]\n',
      stderr:
        '{"notice":"--where: 0 of 3 fetched rows match"}\n{"notice":"the field \\"amount\\" has these values: 23153.23 (1), 900 (1), 50000 (1)"}\n',
    });
  });

  it.each([
    [
      'status=Pending',
      ['a', 'b', 'a', null],
      'the field "status" has these values: a (2), b (1), or is missing (1)',
    ],
    ['status=x', ['b, c'], 'the field "status" has these values: "b, c" (1)'],
    [
      'status>5000',
      Array.from({ length: 40 }, (_, at) => at - 7),
      'the values of "status" are between -7 and 32',
    ],
    [
      'status>2030',
      Array.from({ length: 12 }, (_, at) => `2026-${String(at + 1).padStart(2, '0')}-05T00:00:00Z`),
      'the values of "status" are between 2026-01-05 and 2026-12-05',
    ],
    [
      'status=x',
      Array.from({ length: 1500 }, (_, at) => `v${at}`),
      'the field "status" has more than 1,000 different values, e.g. v0, v1, v2',
    ],
  ])('%s matches nothing: says which values the field has', async (where, values, expected) => {
    const rows = values.map((status) => ({ status }));
    const { stderr } = await rendered(list(rows), { where: [where], output: 'csv' });
    expect(stderr.split('\n')[1]).toBe(expected);
  });

  it('warns of a field that no row has, with the nearest one', async () => {
    const { stderr } = await rendered(list(ORDERS), { where: ['amuont>5'], output: 'csv' });
    expect(stderr).toContain(
      'warning: --where: no row has a field "amuont"; did you mean amount?\n',
    );
  });
});
