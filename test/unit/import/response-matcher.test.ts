import { describe, expect, it } from 'vitest';
import { ResponseMatcher } from '../../../src/import/send/response-matcher.ts';

/** The origin of each response. A pair is the code in the row, and the code in its response. */
function origins(pairs: readonly (readonly [code: string, echo: string | undefined])[]) {
  const rows = new Set(pairs.map(([code]) => code));
  let learned = 0;
  const matcher = new ResponseMatcher(
    { id: 'id', key: 'code' },
    { hasRow: (code) => rows.has(code), onAltered: () => learned++ },
  );
  const kinds = pairs.map(
    ([code, echo], at) => matcher.originOf(code, { id: `i-${at}`, code: echo }).kind,
  );
  return { kinds, isLearned: learned > 0 };
}

const kept = (count: number) =>
  Array.from({ length: count }, (_, at) => [`K-${at}`, `K-${at}`] as const);

describe('the row that a successful response belongs to', () => {
  it('is the row itself if the code matches, another row if that row has the code, sent or not', () => {
    const { kinds, isLearned } = origins([
      ['A-1', 'A-1'],
      ['A-2', 'A-4'],
      ['A-3', undefined],
      ['A-4', 'A-4'],
    ]);
    expect(kinds).toEqual(['own', 'other', 'unsaid', 'own']);
    expect(isLearned).toBe(false);
  });

  it.each([
    ['case', 'a-77', 'A-77'],
    ['spaces', 'a 77', 'a77'],
    ['leading zeros', '0077', '77'],
    ['a prefix', 'a-77', 'ACME-a-77'],
    ['length', 'a-77-long', 'a-77-l'],
  ])('is the row itself if its code came back with different %s', (_, code, echo) => {
    expect(origins([...kept(9), [code, echo]])).toMatchObject({
      kinds: [...kept(9).map(() => 'own'), 'own'],
    });
  });

  it('needs several changed codes before it concludes that the service changes them', () => {
    const changed = (count: number) =>
      Array.from({ length: count }, (_, at) => [`x-${at}`, `X-${at}`] as const);
    expect(origins([...kept(20), ...changed(1)]).isLearned).toBe(false);
    expect(origins([...kept(20), ...changed(3)]).isLearned).toBe(true);
    expect(origins(changed(1)).isLearned).toBe(true);
  });

  it('is unclear if no row has the code, unless the service assigns its own codes', () => {
    expect(origins([...kept(20), ['A-1', 'Q-9']])).toMatchObject({ isLearned: false });
    expect(origins([...kept(20), ['A-1', 'Q-9']]).kinds.at(-1)).toBe('strange');
    expect(
      origins([
        ['A-1', 'Q-9'],
        ['A-2', 'Q-10'],
      ]),
    ).toEqual({
      kinds: ['unsaid', 'unsaid'],
      isLearned: true,
    });
  });
});
