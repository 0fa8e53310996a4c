import { describe, expect, it } from 'vitest';
import { compose, keyOf, type Parts } from '../../../src/compose/compose.ts';
import { readList } from '../../../src/compose/list-lines.ts';
import { matchLine } from '../../../src/compose/match-line.ts';

const RACE = { id: 'itm-1', code: 'AR-5381', name: 'Adjustable Race' };
const BOLTS = [
  { id: 'itm-7', code: 'B-1', name: 'Bolt' },
  { id: 'itm-8', code: 'B-2', name: 'Bolt' },
];
const PLANT = { name: 'Plant', deliveryMethod: 'pickup' };
const NOTHING = { groups: [], lines: [] };

describe('a list', () => {
  const parts: Parts = {
    ...{ ...NOTHING, base: { title: 'Parts' }, groups: [{ ...PLANT, items: [] }] },
    list: {
      file: 'list.txt',
      lines: readList('4 x AR-5381\n2 x bolt').map((line) => {
        const match = matchLine(line, [RACE, ...BOLTS]);
        const isSure = match.kind === 'sure';
        const order = isSure ? { itemId: match.item.id, quantity: match.quantity } : undefined;
        return { line, match, order };
      }),
    },
  };

  it('is asked about the line that may mean several items', () => {
    const { payload, questions } = compose(parts);
    expect(payload).toEqual({
      title: 'Parts',
      groups: [{ ...PLANT, items: [{ itemId: 'itm-1', quantity: 4 }] }],
    });
    expect(questions).toMatchObject([{ about: 'list', line: { text: '2 x bolt' } }]);
  });

  it('is complete with the answer', () => {
    const [question] = compose(parts).questions;
    const order = { itemId: 'itm-8', quantity: 2 };
    const { payload, questions } = compose({
      ...parts,
      answers: new Map([[keyOf(question!), order]]),
    });
    expect(questions).toEqual([]);
    expect(payload.groups).toEqual([
      { ...PLANT, items: [{ itemId: 'itm-1', quantity: 4 }, order] },
    ]);
  });
});

describe('an earlier requisition', () => {
  const line = { quantity: 2, item: { name: 'Bolt' } };
  const parts: Parts = {
    ...NOTHING,
    base: { title: 'Parts', code: 'C-1', groups: [{ ...PLANT, items: [line] }] },
    earlier: {
      ...{ fields: {}, quantities: [], choice: undefined },
      now: { catalogue: { items: BOLTS, isWhole: true }, byCode: new Map() },
    },
  };

  it('is asked which of the items with the name is meant', () => {
    const { payload, questions } = compose(parts);
    expect(payload).toEqual({ title: 'Parts', groups: [{ ...PLANT, items: [line] }] });
    expect(questions).toEqual([{ about: 'earlier', group: 0, at: 0, line, candidates: BOLTS }]);
  });

  it('refuses an answer that leaves nothing to order', () => {
    const [question] = compose(parts).questions;
    const answers = new Map([[keyOf(question!), null]]);
    expect(() => compose({ ...parts, answers })).toThrow('every line was skipped');
  });
});
