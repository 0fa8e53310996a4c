import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareDecimals } from '../../../src/core/text/decimal.ts';
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
    ['amount>=abc', { amount: 5 }, false],
    ['amount!=abc', { amount: 5 }, true],
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
      stderr: '{"notice":"--where: 0 of 3 fetched rows match"}\n',
    });
  });

  it('warns of a field that no row has, with the nearest one', async () => {
    const { stderr } = await rendered(list(ORDERS), { where: ['amuont>5'], output: 'csv' });
    expect(stderr).toContain(
      'warning: --where: no row has a field "amuont"; did you mean amount?\n',
    );
  });
});

describe('decimals', () => {
  it('compare as integers scaled to the same exponent', () => {
    const digits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    const places = fc.integer({ min: 0, max: 20 });
    const text = (value: bigint, scale: number) => {
      const whole = String(value < 0n ? -value : value).padStart(scale + 1, '0');
      const at = whole.length - scale;
      return `${value < 0n ? '-' : ''}${whole.slice(0, at)}${scale > 0 ? `.${whole.slice(at)}` : ''}`;
    };
    fc.assert(
      fc.property(digits, places, digits, places, (a, p, b, q) => {
        const left = a * 10n ** BigInt(20 - p);
        const right = b * 10n ** BigInt(20 - q);
        const expected = left < right ? -1 : left > right ? 1 : 0;
        expect(Math.sign(compareDecimals(text(a, p), text(b, q)))).toBe(expected);
        expect(compareDecimals(text(a, p), `${a}e-${p}`)).toBe(0);
      }),
    );
  });
});
