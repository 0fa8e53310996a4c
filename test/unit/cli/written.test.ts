import { expect, it } from 'vitest';
import { writtenText } from '../../../src/cli/write/write-call.ts';

const requisition = (groups: readonly unknown[]) => ({ created: 'req-2', body: { groups } });
const ITEM = { quantity: 1, itemId: 'itm-1' };

it.each([
  [[{ items: [ITEM, ITEM, ITEM] }], 'Created requisition req-2 (1 group, 3 items)'],
  [[{ items: [ITEM] }, { items: [] }], 'Created requisition req-2 (2 groups, 1 item)'],
])('a requisition is named by its id and what it holds', (groups, expected) => {
  const what = `create requisition "Desks" with ${groups.length} groups`;
  expect(writtenText(what, requisition(groups))).toBe(expected);
});

it.each([
  ['create item "Bolt"', 'itm-1', 'Created item "Bolt": itm-1'],
  ['delete sector sec-9', undefined, 'Deleted sector sec-9'],
  ['change name of sector sec-9', undefined, 'Changed name of sector sec-9'],
  [
    'add 3 × BA-8327 "Bearing" to "Plant" of "Parts"',
    'l-1',
    'Added 3 × BA-8327 "Bearing" to "Plant" of "Parts": l-1',
  ],
  ['POST /items/', undefined, 'POST /items/: OK'],
])('%j', (what, created, expected) => {
  expect(writtenText(what, { created, body: {} })).toBe(expected);
});
