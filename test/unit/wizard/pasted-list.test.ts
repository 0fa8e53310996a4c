import fc from 'fast-check';
import { expect, it } from 'vitest';
import { matchLine, readList } from '../../../src/wizard/pasted-list.ts';

const CATALOGUE = [
  { id: 'itm-1', code: 'AR-5381', name: 'Adjustable Race' },
  { id: 'itm-2', code: 'BA-8327', name: 'Bearing Ball' },
  { id: 'itm-3', code: 'HL-U509', name: 'Sport-100 Helmet, Black' },
  { id: 'itm-4', code: 'HL-U509-R', name: 'Sport-100 Helmet, Red' },
  { id: 'itm-5', code: '4711', name: 'Nut 8 mm' },
  { id: 'itm-6', code: 'N-1', name: 'Cañería' },
];

const match = (text: string, list = readList(text)) => matchLine(list.at(-1)!, CATALOGUE);

it.each([
  '12 x AR-5381',
  '12x AR-5381',
  '12×AR-5381',
  '12*AR-5381',
  '12pcs AR-5381',
  '12 × AR-5381',
  'AR-5381 x 12',
  'AR-5381 x12',
  'AR-5381;12',
  'AR-5381=12',
  'code=AR-5381,quantity=12',
  'AR-5381 ; 12',
  '12;AR-5381',
  'AR-5381,12',
  'AR-5381\t12',
  '"AR-5381";"12"',
  '12 AR-5381',
  'AR-5381 12',
  '12 x ar-5381',
  '12 Adjustable Race',
  '12 adjustable  RACE',
  'AR-5381\tAdjustable Race\t\t12',
  '  12 x AR-5381  \r',
  '\uFEFF12 x AR-5381',
  'Item\tQty\tPrice\nAR-5381\t12\t3',
  'Code;Name\n\n# for the plant\nAR-5381;12',
])('%j is twelve of AR-5381', (text) => {
  expect(readList(text)).toHaveLength(1);
  expect(match(text)).toMatchObject({ item: { id: 'itm-1' }, quantity: 12 });
});

it.each([
  ['HL-U509;2', 'itm-3', 2],
  ['4711;12', 'itm-5', 12],
  ['12;4711', 'itm-5', 12],
  ['1 caneria', 'itm-6', 1],
  ['3 Nut 8 mm', 'itm-5', 3],
  ['Sport-100 Helmet, Red\t2', 'itm-4', 2],
])('%j is certain', (text, id, quantity) => {
  expect(match(text)).toMatchObject({ item: { id }, quantity });
});

it.each([
  ['12 x AR-5318', 12, ['itm-1']],
  ['3 helmet', 3, ['itm-3', 'itm-4']],
  ['3 red helmet', 3, ['itm-4']],
  ['Bearing Ball', undefined, ['itm-2']],
  ['5 zzzzzzzz', 5, []],
  ['AR-5381\t12\t34', undefined, ['itm-1']],
  ['12 AR-5381 34', undefined, ['itm-1']],
  ['1.5 x AR-5381', undefined, ['itm-1']],
  ['1.000;AR-5381', undefined, ['itm-1']],
  ['code=4711', undefined, []],
  ['quantity=5', undefined, []],
])('%j is uncertain, with candidates', (text, quantity, ids) => {
  const found = match(text);
  expect(found.item).toBeUndefined();
  expect(found.quantity).toBe(quantity);
  expect(found.candidates.map(({ id }) => id)).toEqual(ids);
});

it('reads every text, and quantities are whole numbers above 0', () => {
  const all = fc.sample(fc.string(), 1000).flatMap(readList);
  const wrong = all
    .flatMap(({ readings }) => readings)
    .filter(
      ({ quantity, refs }) => !Number.isSafeInteger(quantity) || quantity < 1 || refs.length === 0,
    );
  expect(wrong).toEqual([]);
});
