import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readList } from '../../../src/compose/list-lines.ts';
import { matchLine } from '../../../src/compose/match-line.ts';

const CATALOGUE = [
  { id: 'itm-1', code: 'AR-5381', name: 'Adjustable Race' },
  { id: 'itm-2', code: 'BA-8327', name: 'Bearing Ball' },
  { id: 'itm-3', code: 'HL-U509', name: 'Sport-100 Helmet, Black' },
  { id: 'itm-4', code: 'HL-U509-R', name: 'Sport-100 Helmet, Red' },
  { id: 'itm-5', code: '4711', name: 'Nut 8 mm' },
  { id: 'itm-6', code: 'N-1', name: 'Cañería' },
];

function readings(text: string) {
  return readList(text).map((line) => line.readings);
}

describe('a line', () => {
  it.each([
    '12 x AR-5381',
    '12x AR-5381',
    '12×AR-5381',
    '12*AR-5381',
    '12pcs AR-5381',
    '12 × AR-5381',
    '12 * AR-5381',
    'AR-5381 x 12',
    'AR-5381 x12',
    'AR-5381;12',
    'AR-5381 ; 12',
    '12;AR-5381',
    'AR-5381,12',
    '12, AR-5381',
    'AR-5381\t12',
    '12\tAR-5381',
    '"AR-5381";"12"',
    '12 AR-5381',
    'AR-5381 12',
    '  12 x AR-5381  \r',
    '\uFEFF12 x AR-5381',
  ])('%j is twelve of AR-5381', (text) => {
    expect(readings(text)).toEqual([[{ quantity: 12, refs: ['AR-5381'] }]]);
  });

  it.each([
    ['12 Adjustable Race', [{ quantity: 12, refs: ['Adjustable Race'] }]],
    ['3 pieces of eight', [{ quantity: 3, refs: ['of eight', 'pieces of eight'] }]],
    ['12 x Nut 8 mm', [{ quantity: 12, refs: ['Nut 8 mm'] }]],
    ['3 Sport-100 Helmet, Red', [{ quantity: 3, refs: ['Sport-100 Helmet, Red'] }]],
    ['AR-5381\tAdjustable Race\t\t12', [{ quantity: 12, refs: ['AR-5381', 'Adjustable Race'] }]],
    [
      '4711;12',
      [
        { quantity: 12, refs: ['4711'] },
        { quantity: 4711, refs: ['12'] },
      ],
    ],
    [
      '8 mm Nut 3',
      [
        { quantity: 8, refs: ['mm Nut 3', 'mm Nut'] },
        { quantity: 3, refs: ['8 mm Nut', 'mm Nut'] },
      ],
    ],
    [
      'AR-5381 12 34',
      [
        { quantity: 34, refs: ['AR-5381 12', 'AR-5381'] },
        { quantity: 12, refs: ['AR-5381'] },
      ],
    ],
    [
      '12 34',
      [
        { quantity: 12, refs: ['34'] },
        { quantity: 34, refs: ['12'] },
      ],
    ],
    [
      'AR-5381;12;34',
      [
        { quantity: 34, refs: ['AR-5381', '12'] },
        { quantity: 12, refs: ['AR-5381', '34'] },
      ],
    ],
    [
      '12\tAR-5381\t34',
      [
        { quantity: 34, refs: ['12', 'AR-5381'] },
        { quantity: 12, refs: ['AR-5381', '34'] },
      ],
    ],
    ['12 x Nut 8', [{ quantity: 12, refs: ['Nut 8'] }]],
    ['12 pcs Nut 8', [{ quantity: 12, refs: ['Nut 8', 'pcs Nut 8'] }]],
    ['AR-5381', []],
    ['AR-5381;', []],
    ['0 x AR-5381', []],
    ['-3 x AR-5381', []],
    ['1.5 x AR-5381', []],
    ['1.000;AR-5381', []],
    ['99999999999999999999 x AR-5381', []],
    ['12', []],
  ])('%j', (text, expected) => {
    expect(readings(text)).toEqual([expected]);
  });

  it('may be empty, a comment, or column headers, and is then no line', () => {
    const text = 'Código\tCantidad\n\n# for the plant\nAR-5381\t12\n\n4711\t3\n';
    expect(readList(text).map(({ readings: [first] }) => first)).toEqual([
      { quantity: 12, refs: ['AR-5381'] },
      { quantity: 3, refs: ['4711'] },
    ]);
    expect(readings('Qty;Item\n3;4711')).toEqual([[{ quantity: 3, refs: ['4711'] }]]);
  });

  it('never throws, and quantities are whole numbers above 0', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const wrong = readList(text)
          .flatMap(({ readings: all }) => all)
          .filter(
            ({ quantity, refs }) =>
              !(Number.isSafeInteger(quantity) && quantity > 0) || refs.length === 0,
          );
        expect(wrong).toEqual([]);
      }),
    );
  });
});

describe('matching a line', () => {
  const match = (text: string) => matchLine(readList(text)[0]!, CATALOGUE);

  it.each([
    ['12 x AR-5381', 'code', 'itm-1', 12],
    ['HL-U509;2', 'code', 'itm-3', 2],
    ['4711;12', 'code', 'itm-5', 12],
    ['12;4711', 'code', 'itm-5', 12],
    ['12 Adjustable Race', 'name', 'itm-1', 12],
    ['12 adjustable  RACE', 'name', 'itm-1', 12],
    ['1 caneria', 'name', 'itm-6', 1],
    ['12 x ar-5381', 'name', 'itm-1', 12],
    ['Sport-100 Helmet, Red\t2', 'name', 'itm-4', 2],
  ])('%j is certain', (text, by, id, quantity) => {
    expect(match(text)).toMatchObject({ kind: 'sure', by, item: { id }, quantity });
  });

  it.each([
    ['12 x AR-5318', 12, ['itm-1']],
    ['3 helmet', 3, ['itm-3', 'itm-4']],
    ['3 red helmet', 3, ['itm-4']],
    ['Bearing Ball', undefined, ['itm-2']],
    ['5 zzzzzzzz', 5, []],
    ['AR-5381 12 34', undefined, ['itm-1']],
    ['12 AR-5381 34', undefined, ['itm-1']],
  ])('%j is uncertain, with candidates', (text, quantity, ids) => {
    const found = match(text);
    expect(found).toMatchObject({ kind: 'doubtful', quantity });
    expect(found.kind === 'doubtful' && found.candidates.map(({ id }) => id)).toEqual(ids);
  });

  it('two items with one code are uncertain', () => {
    const twice = [...CATALOGUE, { id: 'itm-9', code: 'AR-5381', name: 'Another' }];
    expect(matchLine(readList('12 x AR-5381')[0]!, twice)).toMatchObject({
      kind: 'doubtful',
      quantity: 12,
      candidates: [{ id: 'itm-1' }, { id: 'itm-9' }],
    });
  });
});
