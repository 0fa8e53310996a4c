import { expect, it } from 'vitest';
import { phrase, writeMessages } from '../../../src/messages/writes.ts';
import { writtenText } from '../../../src/messages/written.ts';

const requisition = (groups: readonly unknown[]) => ({ created: 'req-2', body: { groups } });
const ITEM = { quantity: 1, itemId: 'itm-1' };

it.each([
  [[{ items: [ITEM, ITEM, ITEM] }], 'Created requisition req-2 (1 group, 3 items)'],
  [[{ items: [ITEM] }, { items: [] }], 'Created requisition req-2 (2 groups, 1 item)'],
])('a requisition is named by its id and what it holds', (groups, expected) => {
  const what = phrase('createRequisition', 'Desks', groups.length);
  expect(writtenText(what, requisition(groups))).toBe(expected);
});

it.each([
  [phrase('createItem', 'Bolt'), 'itm-1', 'Created item "Bolt": itm-1'],
  [phrase('deleteSector', 'sec-9'), undefined, 'Deleted sector sec-9'],
  [phrase('patchSector', 'sec-9', 'name'), undefined, 'Changed name of sector sec-9'],
  [
    phrase('addLine', '3', 'BA-8327 "Bearing"', '"Plant"', '"Parts"'),
    'l-1',
    'Added 3 × BA-8327 "Bearing" to "Plant" of "Parts": l-1',
  ],
  ['POST /items/', undefined, 'POST /items/: OK'],
])('%j', (what, created, expected) => {
  expect(writtenText(what, { created, body: {} })).toBe(expected);
});

it('every write has its own word once it is done', () => {
  for (const say of Object.values(writeMessages)) {
    const what = (say as (...given: string[]) => string)('a', 'b', 'c');
    expect(writtenText(what, { created: undefined, body: {} })).not.toMatch(/: OK$/);
  }
});
