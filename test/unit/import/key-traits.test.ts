import { expect, it } from 'vitest';
import { alikeText, covers, traitsOf } from '../../../src/import/reconcile/key-traits.ts';

it.each([
  ['AB-1', 'AB-2'],
  ['ab-0012', 'ab-0100'],
  ['0007', '0012'],
  ['Two  spaces é', 'One space'],
  ['a-long-code-of-40-characters-in-all-abcd', 'ab-1'],
])('a service that keeps %s keeps %s', (shown, code) => {
  expect(covers(traitsOf(shown), traitsOf(code))).toBe(true);
});

it.each([
  ['AB-1', 'ab-1'],
  ['ab-1', 'AB-1'],
  ['AB 1', 'AB  1'],
  ['AB-1', 'AB_1'],
  ['AB-1', 'AB-01'],
  ['1234', '0123'],
  ['1.5', '1.50'],
  ['12345', '12345678901234567890'],
  ['cafe', 'café'],
  ['ABCDEFGH', 'ABCDEFGHI'],
])('a service that keeps %s may change %s', (shown, code) => {
  expect(covers(traitsOf(shown), traitsOf(code))).toBe(false);
});

it('without a created row, nothing is known of any code', () => {
  expect(covers(undefined, traitsOf('1'))).toBe(false);
});

it.each([
  ['ab-01', 'AB 1'],
  ['00012', '12'],
  [' P/7 ', 'p7'],
])('%j is like %j', (one, other) => {
  expect(alikeText(one)).toBe(alikeText(other));
});
