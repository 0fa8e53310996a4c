import { expect, it } from 'vitest';
import { checkDuplicates, collapseDuplicates } from '../../../../src/import/plan/import-plan.ts';
import { CHOICES, type GivenRow, runOf, statesIn } from '../run-of.ts';

const row = (code: string | null, body: unknown, more: GivenRow = {}): GivenRow => ({
  ...{ code, body: JSON.stringify(body) },
  ...more,
});

/** Rows 1 and 3 are equal, and rows 2, 4 and 5 differ. Row 6 is not pending, row 7 has no code. */
const ROWS = [
  row('A', { code: 'A', tags: ['x', 'y'], more: { a: 1, b: null } }),
  row('B', { code: 'B', name: 'one' }),
  row('A', { more: { b: null, a: 1 }, tags: ['y', 'x'], code: 'A' }),
  row('B', { code: 'B', name: 'two' }),
  row('B', { code: 'B', name: 'one' }),
  row('A', { code: 'A' }, { state: 'rejected' }),
  row(null, { name: 'N' }, { name: 'N' }),
  row(null, { name: 'N' }, { name: 'N' }),
];

it.each<[keep: 'first' | 'last' | 'all' | undefined, states: readonly string[], count: number]>([
  [undefined, ['3 duplicate same_as', '8 duplicate same_as'], 1],
  ['all', [], 0],
  [
    'first',
    ['3 duplicate same_as', '4 duplicate same_key', '5 duplicate same_key', '8 duplicate same_as'],
    0,
  ],
  [
    'last',
    ['2 duplicate same_key', '3 duplicate same_as', '4 duplicate same_key', '8 duplicate same_as'],
    0,
  ],
])('--on-duplicate %s', async (keep, states, count) => {
  const journal = await runOf(ROWS);
  expect(collapseDuplicates(journal, keep)).toEqual({
    count,
    differing: count === 0 ? [] : [{ code: 'B', rows: [2, 4, 5] }],
  });
  expect(statesIn(journal).filter((line) => line.includes('duplicate'))).toEqual(states);
  const { reason } = journal.rows.planned.samples('duplicate', 9)[0] ?? {};
  if (reason !== undefined) {
    expect(JSON.parse(reason!).args).toEqual({ row: keep === 'last' ? 5 : 1 });
  }
  journal.close();
});

it('values that only look alike differ', async () => {
  const pairs: [unknown, unknown][] = [
    [{ a: '1' }, { a: 1 }],
    [{ a: null }, {}],
    [{ a: [] }, { a: {} }],
    [{ a: ['1', '2'] }, { a: ['1', '1'] }],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
    [{ a: [{ b: 1 }, { c: 1 }] }, { a: [{ b: 1 }, { b: 1 }] }],
    [{ a: 'b' }, { b: 'a' }],
  ];
  const journal = await runOf(
    pairs.flatMap((pair, at) => pair.map((body) => row(`P-${at}`, body))),
  );
  const { count, differing } = collapseDuplicates(journal, undefined);
  expect(count).toBe(pairs.length);
  expect(differing).toHaveLength(5);
  expect(collapseDuplicates(journal, undefined, ['name']).count).toBe(0);
  journal.close();
});

it('differing rows with the same key stop the plan', async () => {
  const many = Array.from({ length: 120 }, (_, n) => row('A', { n }));
  const journal = await runOf(many);
  const one = () => checkDuplicates(journal, CHOICES, 'code');
  expect(one).toThrow(
    '1 code appears in several rows with different values: A (rows 1, 2, 3, 4, 5)',
  );
  try {
    one();
  } catch (thrown) {
    expect(thrown).toMatchObject({
      code: 'invalid_input',
      hint: 'Choose which row to keep with --on-duplicate first, last or all',
      details: { duplicates: [{ code: 'A', rows: many.slice(0, 100).map((_, at) => at + 1) }] },
    });
  }
  expect(() => checkDuplicates(journal, { ...CHOICES, onDuplicate: 'all' }, 'code')).not.toThrow();
  expect(() => checkDuplicates(journal, CHOICES, 'code', ['fingerprint'])).not.toThrow();
  journal.close();
  const codes = ['A', 'B', 'C', 'D', 'E', 'F'];
  const several = await runOf([...codes, ...codes].map((code, n) => row(code, { n })));
  expect(() => checkDuplicates(several, CHOICES, 'reference')).toThrow(
    '6 references appear in several rows with different values: A (rows 1, 7); B (rows 2, 8); C (rows 3, 9); D (rows 4, 10); E (rows 5, 11); …',
  );
  several.close();
});
