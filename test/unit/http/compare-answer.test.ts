import { describe, expect, it } from 'vitest';
import { parseResponse } from '../../../src/core/json.ts';
import { differencesIn, differencesText, errorIn } from '../../../src/http/compare-answer.ts';

/** Differences as texts; those that contradict the request end with `!`. */
function differences(sent: unknown, answer: unknown): string {
  return differencesIn(sent, answer)
    .map(({ field, sent: was, stored, contradicts }) =>
      [field, JSON.stringify(was), JSON.stringify(stored), contradicts ? '!' : ''].join(' ').trim(),
    )
    .join(', ');
}

describe('an answer differs from its request', () => {
  it.each<[sent: unknown, answer: unknown, expected: string]>([
    // Not in what it lacks, or what was sent empty.
    [{ name: 'A', amount: 1 }, { name: 'A', amount: 1, id: 'i' }, ''],
    [{ name: 'A' }, { id: 'i' }, ''],
    [{ name: 'A', groups: [1] }, { name: null, groups: null }, ''],
    [{ name: 'A' }, { name: '' }, ''],
    [{ name: '', code: null }, { name: 'A', code: 'B' }, ''],
    [{ constructor: 'A' }, {}, ''],
    // In numbers, but not in their form.
    [{ amount: 100 }, { amount: 999 }, 'amount 100 999 !'],
    [{ amount: 10 }, { amount: 100 }, 'amount 10 100 !'],
    [{ amount: 100, quantity: '2' }, { amount: '100.00', quantity: 2 }, ''],
    // In ids, currencies and delivery methods, but not in their case.
    [{ sectorId: 's-1' }, { sectorId: 's-2' }, 'sectorId "s-1" "s-2" !'],
    [{ id: 'a' }, { id: 'b' }, 'id "a" "b" !'],
    [{ itemId: 'AB', currency: 'usd' }, { itemId: 'ab', currency: 'USD' }, ''],
    [{ currency: 'USD' }, { currency: 'EUR' }, 'currency "USD" "EUR" !'],
    [{ deliveryMethod: 'a' }, { deliveryMethod: 'b' }, 'deliveryMethod "a" "b" !'],
    // In codes, but harmlessly in their spelling.
    [{ code: 'A-1', key: 'k' }, { code: 'B-2', key: 'z' }, 'code "A-1" "B-2" !, key "k" "z" !'],
    [{ reference: 'r1' }, { reference: 'q2' }, 'reference "r1" "q2" !'],
    [{ account: '1' }, { account: '2' }, 'account "1" "2" !'],
    [{ code: 'ABCD' }, { code: 'ABC' }, 'code "ABCD" "ABC" !'],
    [{ code: 'ab-1' }, { code: 'AB1' }, 'code "ab-1" "AB1" !'],
    [{ code: 'ab-1' }, { code: 'AB\u20131' }, 'code "ab-1" "AB\u20131"'],
    // Harmlessly in other words, or another type.
    [{ name: 'Hammer' }, { name: 'Saw' }, 'name "Hammer" "Saw"'],
    [{ unitOfMeasure: 'kg' }, { unitOfMeasure: 'g' }, 'unitOfMeasure "kg" "g"'],
    [{ type: 'a', notes: 'c' }, { type: 'b', notes: 'd' }, 'type "a" "b", notes "c" "d"'],
    [{ name: 'A' }, { name: { en: 'B' } }, 'name "A" {"en":"B"}'],
    [{ sector: { key: 'a' } }, { sector: 'b' }, 'sector {"key":"a"} "b"'],
    ['a', 'b', '"a" "b"'],
    // Inside, but not in the order of elements.
    [{ a: { b: { amount: 1 } } }, { a: { b: { amount: 2 } } }, 'a.b.amount 1 2 !'],
    [{ lines: [{ id: 1 }, { id: 2 }] }, { lines: [{ id: 2 }, { id: 1 }] }, ''],
    [{ lines: [{ id: 1 }, { id: 2 }] }, { lines: [{ id: 2 }, { id: 3 }] }, 'lines[0].id 1 3 !'],
    [[{ id: 1 }, { id: 1 }, { id: 2 }], [{ id: 2 }, { id: 3 }, { id: 1 }], '[1].id 1 3 !'],
    [{ lines: [1] }, { lines: [1, 2] }, 'lines [1] [1,2]'],
  ])('%j and %j: %s', (sent, answer, expected) => {
    expect(differences(sent, answer)).toBe(expected);
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
