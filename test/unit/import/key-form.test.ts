import { expect, it } from 'vitest';
import { alikeText } from '../../../src/core/service/code-change.ts';
import { covers, formOf } from '../../../src/import/reconcile/witnesses.ts';

it.each([
  ['AB-1', 'XY-2'],
  ['ab-0012', 'ab-0100'],
  ['ab-0999', 'ab-1000'],
  ['0007', '1234'],
  ['Größe é 10', 'Größe é 20'],
])('a service that keeps %s keeps %s', (shown, code) => {
  expect(covers(new Set([formOf(shown)]), formOf(code))).toBe(true);
});

it.each([
  ['AB-1', 'ab-1'],
  ['ab-1', 'AB-1'],
  ['AB 1', 'AB  1'],
  ['AB-1', 'AB_1'],
  ['AB-1', 'AB-01'],
  ['AB-10', 'AB-1'],
  ['AB=', 'AB'],
  ['12345678', '1014'],
  ['LONG-CODE-1234', 'AB-12'],
  ['A12', '12A'],
  ['1234', '0123'],
  ['1.25', '1.50'],
  ['cafe', 'café'],
  ['Größe', 'Grö?e'],
  ['A', 'Ａ'],
  ['B-😀', 'B-🔩'],
])('a service that keeps %s may change %s', (shown, code) => {
  expect(covers(new Set([formOf(shown)]), formOf(code))).toBe(false);
});

it('without a created row, nothing is known of any code', () => {
  expect(covers(new Set(), formOf('1'))).toBe(false);
});

it.each([
  ['ab-01', 'AB 1'],
  ['00012', '12'],
  [' P/7 ', 'p7'],
])('%j is like %j', (one, other) => {
  expect(alikeText(one)).toBe(alikeText(other));
});
