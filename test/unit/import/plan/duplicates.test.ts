import { expect, it } from 'vitest';
import {
  askDuplicates,
  checkDuplicates,
  collapseDuplicates,
} from '../../../../src/import/plan/import-plan.ts';
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
  const run = await runOf(ROWS);
  expect(collapseDuplicates(run, keep)).toEqual({
    count,
    differing: count === 0 ? [] : [{ code: 'B', rows: [2, 4, 5] }],
  });
  expect(statesIn(run).filter((line) => line.includes('duplicate'))).toEqual(states);
  const { reason } = run.rows.planned.samples('duplicate', 9)[0] ?? {};
  if (reason !== undefined) {
    expect(JSON.parse(reason!).args).toEqual({ row: keep === 'last' ? 5 : 1 });
  }
  run.close();
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
  const run = await runOf(pairs.flatMap((pair, at) => pair.map((body) => row(`P-${at}`, body))));
  const { count, differing } = collapseDuplicates(run, undefined);
  expect(count).toBe(pairs.length);
  expect(differing).toHaveLength(5);
  expect(collapseDuplicates(run, undefined, ['name']).count).toBe(0);
  run.close();
});

it('differing rows with the same key stop the plan', async () => {
  const many = Array.from({ length: 120 }, (_, n) => row('A', { n }));
  const run = await runOf(many);
  const one = () => checkDuplicates(run, CHOICES, 'code');
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
  expect(() => checkDuplicates(run, { ...CHOICES, onDuplicate: 'all' }, 'code')).not.toThrow();
  expect(() => checkDuplicates(run, CHOICES, 'code', ['fingerprint'])).not.toThrow();
  run.close();
  const codes = ['A', 'B', 'C', 'D', 'E', 'F'];
  const several = await runOf([...codes, ...codes].map((code, n) => row(code, { n })));
  expect(() => checkDuplicates(several, CHOICES, 'reference')).toThrow(
    '6 references appear in several rows with different values: A (rows 1, 7); B (rows 2, 8); C (rows 3, 9); D (rows 4, 10); E (rows 5, 11); …',
  );
  several.close();
});

/** A person at a terminal, who takes the nth choice of each question; `-1` is the last. */
async function asked(
  rows: readonly GivenRow[],
  answers: readonly number[],
  { flags = {}, interactive = true, choices = CHOICES } = {},
) {
  const run = await runOf(rows, { choices });
  const said: string[] = [];
  const questions: string[][] = [];
  const left = [...answers];
  const ports = {
    io: {
      terminal: { interactive },
      say: ({ text }: { readonly text: string }) => void said.push(text),
    },
    ask: {
      async select(question: string, given: readonly { name: string; value: unknown }[]) {
        questions.push([question, ...given.map(({ name }) => name)]);
        return given.at(left.shift()!)!.value;
      },
    },
    self: { flags },
  };
  await askDuplicates(run, ports as never);
  const states = statesIn(run).filter((line) => !line.endsWith('pending'));
  run.close();
  return { said, questions, states, left };
}

it('at a terminal, a person chooses which row to keep, code by code', async () => {
  const first = await asked(ROWS, [1]);
  expect(first.questions).toEqual([
    [
      expect.stringContaining('B'),
      ...['2', '4', '5'].map((row) => expect.stringContaining(row)),
      expect.any(String),
    ],
  ]);
  expect(first.said[0]).toMatch(/B.*2.*4.*5/);
  expect(first.said[0]).toMatch(/name +one +two +one$/m);
  expect(first.said[0]).not.toContain('code ');
  expect(first.states).toEqual([
    ...['2 duplicate same_key', '3 duplicate same_as', '5 duplicate same_key'],
    ...['6 rejected', '8 duplicate same_as'],
  ]);
});

it('at a terminal, a person may stop, or decide about all codes at once', async () => {
  const two = [...ROWS, row('C', { code: 'C', n: 1 }), row('C', { code: 'C', n: 2, more: {} })];
  const equal = ['3 duplicate same_as', '6 rejected', '8 duplicate same_as'];
  const stopped = await asked(two, [-1]);
  expect([stopped.states, stopped.questions.length]).toEqual([equal, 1]);
  // Of one code there is no "all".
  expect(stopped.questions[0]).toHaveLength(1 + 3 + 2 + 1);
  const oneByOne = await asked(two, [0, 1]);
  expect(oneByOne.questions.map((question) => question.length)).toEqual([7, 4]);
  expect(oneByOne.said[1]).toMatch(/n +1 +2$/m);
  expect(oneByOne.said[1]).toMatch(/more +\S+.* {}$/m);
  expect(oneByOne.states).toContain('9 duplicate same_key');
  expect((await asked(two, [3])).states).toEqual(
    [...equal, '4 duplicate same_key', '5 duplicate same_key', '10 duplicate same_key'].sort(
      (a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10),
    ),
  );
  expect((await asked(two, [4])).states).toEqual(
    [...equal, '2 duplicate same_key', '4 duplicate same_key', '9 duplicate same_key'].sort(
      (a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10),
    ),
  );
});

it('of more than four rows, a person chooses one of the first four', async () => {
  const six = Array.from({ length: 6 }, (_, n) => row('A', { code: 'A', n }));
  const { questions, states } = await asked(six, [3]);
  expect(questions.map((question) => question.length)).toEqual([1 + 4 + 1]);
  expect(states).toEqual([1, 2, 3, 5, 6].map((one) => `${one} duplicate same_key`));
});

it.each([
  ['without a terminal', { interactive: false }],
  ['with --yes', { flags: { yes: true } }],
  ['with --on-duplicate', { choices: { ...CHOICES, onDuplicate: 'all' as const } }],
])('nothing is asked %s', async (_, scene) => {
  const { questions, said, states } = await asked(ROWS, [], scene as never);
  expect([questions, said, states]).toEqual([[], [], ['6 rejected']]);
});
