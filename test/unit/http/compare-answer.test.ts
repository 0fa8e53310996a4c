import { describe, expect, it } from 'vitest';
import { parseResponse } from '../../../src/core/json.ts';
import { differencesIn, differencesText, errorIn } from '../../../src/http/compare-answer.ts';

/** Differences as texts; those that contradict the request end with `!`. */
function differences(sent: unknown, answer: unknown): string[] {
  return differencesIn(sent, answer).map(
    ({ field, sent: was, stored, contradicts }) =>
      `${field} ${JSON.stringify(was)} ${JSON.stringify(stored)}${contradicts ? '!' : ''}`,
  );
}

describe('an answer differs from its request', () => {
  it.each<[what: string, sent: unknown, answer: unknown, expected: string[]]>([
    ['not, if it is the same', { name: 'A', amount: 1 }, { name: 'A', amount: 1, id: 'i' }, []],
    ['not in a field that it lacks', { name: 'A' }, { id: 'i' }, []],
    ['not in a field that is null', { name: 'A', groups: [1] }, { name: null, groups: null }, []],
    ['not in a field that is empty', { name: 'A' }, { name: '' }, []],
    ['not in a field that was sent empty', { name: '', code: null }, { name: 'A', code: 'B' }, []],
    ['not in an inherited member', { constructor: 'A' }, {}, []],
    ['in an amount', { amount: 100 }, { amount: 999 }, ['amount 100 999!']],
    ['in an amount that begins alike', { amount: 10 }, { amount: 100 }, ['amount 10 100!']],
    [
      'not in the form of an amount',
      { amount: 100, quantity: '2' },
      { amount: '100.00', quantity: 2 },
      [],
    ],
    [
      'in an id',
      { sectorId: 's-1', id: 'a' },
      { sectorId: 's-2', id: 'b' },
      ['sectorId "s-1" "s-2"!', 'id "a" "b"!'],
    ],
    [
      'not in the case of an id or a currency',
      { itemId: 'AB', currency: 'usd' },
      { itemId: 'ab', currency: 'USD' },
      [],
    ],
    ['in a currency', { currency: 'USD' }, { currency: 'EUR' }, ['currency "USD" "EUR"!']],
    [
      'in a delivery method',
      { deliveryMethod: 'a' },
      { deliveryMethod: 'b' },
      ['deliveryMethod "a" "b"!'],
    ],
    [
      'harmlessly in other words',
      { unitOfMeasure: 'kg', type: 'a' },
      { unitOfMeasure: 'g', type: 'b' },
      ['unitOfMeasure "kg" "g"', 'type "a" "b"'],
    ],
    ['harmlessly in free text', { notes: 'a' }, { notes: 'b' }, ['notes "a" "b"']],
    [
      'in a code',
      { code: 'A-1', reference: 'r1', key: 'k1', account: '1' },
      { code: 'B-2', reference: 'q2', key: 'z', account: '2' },
      ['code "A-1" "B-2"!', 'reference "r1" "q2"!', 'key "k1" "z"!', 'account "1" "2"!'],
    ],
    [
      'harmlessly in the spelling of a code',
      { code: 'ab-1' },
      { code: 'AB\u20131' },
      ['code "ab-1" "AB\u20131"'],
    ],
    ['in a code that is cut off', { code: 'ABCD' }, { code: 'ABC' }, ['code "ABCD" "ABC"!']],
    ['in a code without its dash', { code: 'ab-1' }, { code: 'AB1' }, ['code "ab-1" "AB1"!']],
    ['harmlessly in a name', { name: 'Hammer' }, { name: 'Saw' }, ['name "Hammer" "Saw"']],
    [
      'harmlessly, if an object came for a name',
      { name: 'A' },
      { name: { en: 'B' } },
      ['name "A" {"en":"B"}'],
    ],
    [
      'harmlessly, if a text came for an object',
      { sector: { key: 'a' } },
      { sector: 'b' },
      ['sector {"key":"a"} "b"'],
    ],
    [
      'in a nested field',
      { a: { b: { amount: 1 } } },
      { a: { b: { amount: 2 } } },
      ['a.b.amount 1 2!'],
    ],
    [
      'not in the order of elements',
      { lines: [{ quantity: 1 }, { quantity: 2 }] },
      { lines: [{ quantity: 2 }, { quantity: 1 }] },
      [],
    ],
    [
      'in the only element that no other explains',
      { lines: [{ quantity: 1 }, { quantity: 2 }] },
      { lines: [{ quantity: 2 }, { quantity: 3 }] },
      ['lines[0].quantity 1 3!'],
    ],
    [
      'in an element, if another is there twice',
      [{ quantity: 1 }, { quantity: 1 }, { quantity: 2 }],
      [{ quantity: 2 }, { quantity: 3 }, { quantity: 1 }],
      ['[1].quantity 1 3!'],
    ],
    [
      'harmlessly in the number of elements',
      { lines: [1] },
      { lines: [1, 2] },
      ['lines [1] [1,2]'],
    ],
    ['as a whole', 'a', 'b', [' "a" "b"']],
  ])('%s', (_, sent, answer, expected) => {
    expect(differences(sent, answer)).toEqual(expected);
  });

  it('in a digit that a double loses', () => {
    const [sent, answer] = ['{"amount":9007199254740993}', '{"amount":9007199254740992}'];
    const [found] = differencesIn(parseResponse(sent), parseResponse(answer));
    expect(found).toMatchObject({ field: 'amount', contradicts: true });
  });

  it('and the text names five fields, with values of at most 120 characters', () => {
    const sent = { a: 1, b: 'x'.repeat(119), c: 'y'.repeat(118), d: 4, e: 5, f: 6 };
    const text = differencesText(differencesIn(sent, { a: 2, b: 3, c: 4, d: 5, e: 6, f: 7 }));
    const long = `"${'x'.repeat(118)}…`;
    const whole = `"${'y'.repeat(118)}"`;
    expect(text).toBe(
      `a was sent as 1, but is 2; b was sent as ${long}, but is 3; c was sent as ${whole}, but is 4; d was sent as 4, but is 5; e was sent as 5, but is 6`,
    );
  });
});

describe('a successful answer says an error', () => {
  it.each<[answer: unknown, expected: string | undefined]>([
    [{ error: 'no such sector' }, 'error: "no such sector"'],
    [{ Errors: [{ field: 'a' }] }, 'Errors: [{"field":"a"}]'],
    [{ error: { code: 1 } }, 'error: {"code":1}'],
    ...['', 'false', '0', false, 0, [], {}, null].map((value): [unknown, undefined] => [
      { error: value, errors: value },
      undefined,
    ]),
    [{ success: false }, 'success: false'],
    [{ success: true, ok: 0, status: 422 }, undefined],
    [{ message: 'error' }, undefined],
    [['error'], undefined],
    ['error', undefined],
    [undefined, undefined],
    [{ results: [{ status: 500 }] }, undefined],
  ])('%j: %s', (answer, expected) => {
    expect(errorIn(answer)).toBe(expected);
  });
});
