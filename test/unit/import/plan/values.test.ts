import { describe, expect, it } from 'vitest';
import { planValues, valuesText } from '../../../../src/import/plan/values.ts';
import { type GivenRow, runOf } from '../run-of.ts';

async function valuesOf(bodies: readonly object[], more: readonly GivenRow[] = []) {
  const rows = bodies.map((body, at) => ({ code: null, line: at + 2, body: JSON.stringify(body) }));
  const run = await runOf([...rows, ...more]);
  const values = planValues(run);
  run.close();
  return values;
}

const fieldsOf = async (bodies: readonly object[]) => (await valuesOf(bodies))!.fields;
const shown = async (bodies: readonly object[]) =>
  (await valuesOf(bodies))!.rows.map(({ row, shows }) => [row, ...shows].join(' '));

describe('the values of a plan', () => {
  it('are none without a row to create', async () => {
    expect(await valuesOf([], [{ state: 'existing' }, { state: 'rejected' }])).toBeUndefined();
    const values = await valuesOf([{ name: 'a' }], [{ state: 'existing', body: '{"name":"zz"}' }]);
    expect(values!.fields).toEqual([
      { field: 'name', filled: 1, distinct: 1, shortest: 'a', longest: 'a', sample: 'a' },
    ]);
  });

  it('count what is filled, and say the shortest, the longest and the most frequent', async () => {
    const names = ['bb', '', 'a', 'ccc', 'a', null, 'dd', 'ccc', 'ccc', 'e', 'fff'];
    expect(await fieldsOf(names.map((name) => ({ name })))).toEqual([
      {
        ...{ field: 'name', filled: 9, distinct: 6, sample: 'bb', shortest: 'a', longest: 'ccc' },
        frequent: { value: 'ccc', count: 3 },
      },
    ]);
    expect(await fieldsOf([{ name: null }, { name: '' }])).toEqual([
      { field: 'name', filled: 0, distinct: 0, sample: null, shortest: null, longest: null },
    ]);
  });

  it('compare numbers by size, and keep other types', async () => {
    const amounts = [10, 9, 100.5, -3, 100.5];
    expect(await fieldsOf(amounts.map((amount) => ({ amount })))).toMatchObject([
      { shortest: -3, longest: 100.5, frequent: { value: 100.5, count: 2 }, distinct: 4 },
    ]);
    const tags = [['a', 'b'], ['a'], { b: 1 }];
    expect(await fieldsOf(tags.map((tag) => ({ tag })))).toMatchObject([
      { filled: 3, distinct: 3, shortest: ['a'], longest: ['a', 'b'], sample: ['a', 'b'] },
    ]);
  });

  it('of lines and groups have the names of flat rows', async () => {
    const bodies = [
      {
        title: 't',
        groups: [
          {
            deliverTo: 'x',
            items: [
              { itemId: 'i-1', quantity: 2 },
              { item: { name: 'n', code: 'c' }, quantity: 5 },
            ],
          },
          { deliverTo: 'yy', items: 'none' },
          'no group',
        ],
      },
      { title: 'u', groups: 'none' },
    ];
    const values = (await valuesOf(bodies))!;
    expect(values.fields.map(({ field, filled, longest }) => [field, filled, longest])).toEqual([
      ...[
        ['title', 2, 't'],
        ['group.deliverTo', 2, 'yy'],
        ['item.id', 1, 'i-1'],
      ],
      ...[
        ['quantity', 2, 5],
        ['item.name', 1, 'n'],
        ['item.code', 1, 'c'],
        ['groups', 1, 'none'],
      ],
    ]);
    expect(values.rows).toEqual([
      {
        ...{ row: 1, line: 2, lines: 2 },
        shows: ['group.deliverTo', 'quantity'].flatMap((of) => [`longest ${of}`, `shortest ${of}`]),
        values: {
          ...{ title: 't', 'group.deliverTo': 'x', 'item.id': 'i-1', quantity: 2 },
          ...{ 'item.name': 'n', 'item.code': 'c' },
        },
      },
      { row: 2, line: 3, shows: [], values: { title: 'u', groups: 'none' } },
    ]);
  });

  it('are shown in the first rows, and in those that show most of what is special', async () => {
    expect(await shown([{ a: 'x' }, { a: 'y' }, { a: 'z' }])).toEqual(['1', '2']);
    expect(
      await shown([
        ...[
          { a: 'xx', b: 'q' },
          { a: 'yy', b: 'q' },
          { a: 'zz', b: 'q' },
        ],
        ...[
          { a: 'longest', b: 'longer' },
          { a: 's', b: 'longest' },
          { a: 'n\u0430me', b: 'q' },
        ],
      ]),
    ).toEqual([
      ...['1 shortest b frequent b', '2', '4 longest a', '5 shortest a longest b', '6 unusual a'],
    ]);
    const many = Array.from({ length: 9 }, (_, at) => ({ [`f${at}`]: 'a' }));
    const longer = Array.from({ length: 9 }, (_, at) => ({ [`f${at}`]: 'bb' }));
    const rows = await shown([...many, ...longer]);
    expect(rows).toHaveLength(8);
    expect(rows[0]).toBe('1 shortest f0');
    expect(rows.map((line) => Number.parseInt(line, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it.each([
    ['Bolt 3/4" (M8) ñ €5 – 10 °C', false],
    ['n\u0430me', true],
    ['a\u200bb', true],
    ['a\tb', true],
    ['東京', true],
  ])('%j is unusual: %s', async (name, isUnusual) => {
    const rows = await shown([{ name: 'a' }, { name: 'b' }, { name }]);
    expect(rows.join().includes('unusual name')).toBe(isUnusual);
  });

  it('are counted up to 10,000 different ones', async () => {
    const bodies = Array.from({ length: 10_002 }, (_, at) => ({ name: `n${at % 10_001}` }));
    const [name] = await fieldsOf(bodies.slice(0, 10_000));
    expect(name).toMatchObject({ distinct: 10_000 });
    expect(name).not.toHaveProperty('isAtLeast');
    expect(await fieldsOf(bodies)).toMatchObject([
      { distinct: 10_000, isAtLeast: true, filled: 10_002, frequent: { value: 'n0', count: 2 } },
    ]);
  });
});

it('on a terminal they are a table, then the sample rows', () => {
  const long = 'x'.repeat(60);
  const field = { filled: 1_200, distinct: 3, shortest: 'a', longest: long, sample: 'a' };
  const values = {
    fields: [
      { ...field, field: 'name' },
      {
        ...field,
        field: 'an.unusually.long.name.of.a.field',
        filled: 7,
        isAtLeast: true as const,
        longest: 5,
      },
    ],
    rows: [
      { row: 1, line: 2, shows: [], values: { name: long, amount: 5 } },
      { row: 9, line: null, shows: [], values: { name: 'b' }, lines: 12 },
    ],
  };
  expect(valuesText(values)).toEqual([
    '    field                   filled  distinct  shortest  longest',
    `    name                     1,200         3  a         ${'x'.repeat(25)}…`,
    '    an.unusually.long.nam…       7        >3  a         5',
    `    row 1, line 2: name ${'x'.repeat(47)}… · amount 5`,
    '    row 9: name b · 12 lines',
  ]);
});
