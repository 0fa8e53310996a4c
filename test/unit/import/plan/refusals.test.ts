import { describe, expect, it } from 'vitest';
import { ProcError } from '../../../../src/core/errors.ts';
import { storedProblem } from '../../../../src/core/problem/row-problem.ts';
import {
  incompleteRefusal,
  makePlan,
  mostOf,
  type Plan,
  refusalOf,
  rejectedLimit,
  strictRefusal,
  tooManyCreated,
} from '../../../../src/import/plan/import-plan.ts';
import type { Choices } from '../../../../src/import/store/facts.ts';
import { noCounts } from '../../../../src/import/store/transitions.ts';
import { CHOICES, runOf } from '../run-of.ts';

const NONE = { create: [], existing: [], duplicates: [], invalid: [], unconfirmed: [] };
const plan = (given: Partial<Plan> = {}): Plan => ({
  ...{ counts: 'rows', rows: 10, create: 10, existing: 0, duplicates: 0, invalid: 0 },
  ...{ unconfirmed: 0, dropped: 0, unguarded: 0, samples: NONE },
  ...given,
});
const TYPED = ['items', 'import', 'a.csv'];
const partsOf = (error: ProcError | undefined) =>
  error === undefined ? undefined : [error!.code, error!.message, error!.hint, error!.details];

const INVALID = {
  row: 4,
  line: 5,
  code: null,
  reason: storedProblem({ code: 'not_number', field: 'price', args: { got: '"x"' } }),
};

describe('a plan is refused', () => {
  it.each<[what: string, plan: Plan, choices: Partial<Choices>, refused: unknown]>([
    ['never without a limit', plan({ invalid: 9, existing: 9 }), {}, undefined],
    ['not by rows that exist, if they are skipped', plan({ existing: 1 }), {}, undefined],
    ['not where none exists', plan(), { onExisting: 'fail' }, undefined],
    [
      'by a row that exists',
      plan({
        existing: 1,
        samples: { ...NONE, existing: [{ row: 2, line: 3, code: null, id: 'i', reason: null }] },
      }),
      { onExisting: 'fail' },
      [
        'invalid_input',
        '1 row already exists: row 2, line 3 (i); nothing was sent',
        'To skip them, run: proc items import a.csv --on-existing skip',
        {
          existing: 1,
          samples: [{ row: 2, line: 3, code: null, id: 'i', reason: null }],
        },
      ],
    ],
    [
      'by many rows that exist',
      plan({
        existing: 5,
        samples: {
          ...NONE,
          existing: [
            { row: 1, line: null, code: 'A', id: 'i', reason: null },
            { row: 2, line: null, code: null, id: 'j', reason: null },
          ],
        },
      }),
      { onExisting: 'fail' },
      expect.arrayContaining(['5 rows already exist: A (i), row 2 (j), …; nothing was sent']),
    ],
    ['not by as many rows as --max-create allows', plan(), { maxCreate: 10 }, undefined],
    [
      'by one row more than --max-create allows',
      plan(),
      { maxCreate: 9 },
      [
        'invalid_input',
        '10 rows would be created, more than --max-create 9; nothing was sent',
        'To see the plan, run: proc items import a.csv --dry-run',
        { create: 10, maxCreate: 9, from: '--max-create' },
      ],
    ],
    [
      'not by as many invalid rows as allowed',
      plan({ invalid: 2 }),
      { maxRejected: '2' },
      undefined,
    ],
    ['not by the share that is allowed', plan({ invalid: 2 }), { maxRejected: '20%' }, undefined],
    [
      'by one invalid row',
      plan({ invalid: 1, samples: { ...NONE, invalid: [INVALID] } }),
      { maxRejected: '0' },
      [
        'invalid_input',
        '1 of 10 rows is invalid (row 4, line 5: price: must be a number, got "x"), more than --max-rejected 0; nothing was sent',
        'To see which, run: proc items import a.csv --dry-run',
        {
          invalid: 1,
          samples: [{ ...INVALID, reason: 'price: must be a number, got "x"' }],
        },
      ],
    ],
  ])('%s', (_, given, choices, refused) => {
    expect(partsOf(refusalOf(given, { ...CHOICES, ...choices }, undefined, TYPED))).toEqual(
      refused,
    );
  });

  it('by the smaller limit, and a dry run does not name itself', () => {
    const most = { count: 3, from: 'maxCreate of staging' } as never;
    const dry = [...TYPED, '--dry-run'];
    const refused = (own: number | undefined) =>
      tooManyCreated({ create: 4, counts: 'rows' }, { maxCreate: own }, most, dry);
    expect(partsOf(refused(undefined))).toEqual([
      'invalid_input',
      '4 rows would be created, more than maxCreate of staging (3); nothing was sent',
      'Raise maxCreate of staging',
      { create: 4, maxCreate: 3, from: 'maxCreate of staging' },
    ]);
    expect(refused(3)?.message).toContain('more than --max-create 3');
    expect(refused(2)?.message).toContain('more than --max-create 2');
    expect(refused(9)?.message).toContain('maxCreate of staging (3)');
    expect(
      tooManyCreated({ create: 3, counts: 'rows' }, { maxCreate: undefined }, most, dry),
    ).toBeUndefined();
    expect(
      tooManyCreated({ create: 9, counts: 'rows' }, { maxCreate: undefined }, undefined, dry),
    ).toBeUndefined();
    const invalid = plan({ invalid: 3 });
    const { hint } = refusalOf(invalid, { ...CHOICES, maxRejected: '1' }, undefined, dry)!;
    expect(hint).toBe('To see all of them, add --plan plan.csv');
  });

  it('with --strict by its warnings', () => {
    const found = {
      kind: 'html_entities',
      count: 1,
      samples: [{ value: '&amp;', row: 9 }],
    } as const;
    const findings = [found, { ...found, count: 2 }];
    expect(strictRefusal(findings, CHOICES)).toBeUndefined();
    expect(strictRefusal([], { ...CHOICES, strict: true })).toBeUndefined();
    const [code, message, hint, details] = partsOf(
      strictRefusal(findings, { ...CHOICES, strict: true }),
    )!;
    expect([code, hint, details]).toEqual([
      'invalid_input',
      'Correct the file, or remove --strict if the file is right',
      { warnings: findings },
    ]);
    expect(message).toMatch(
      /^the plan has 2 warnings \(--strict\): .*&amp;.*; .*&amp;.*; nothing was sent$/,
    );
  });

  it.each<
    [
      isInteractive: boolean,
      rows: number,
      problem: boolean,
      allow: Choices['allow'],
      why?: string,
      how?: string,
    ]
  >([
    [false, 1, false, []],
    [true, 0, false, []],
    [false, 0, false, ['incomplete']],
    [false, 1, true, ['incomplete']],
    [false, 0, false, [], 'a.csv: the file has no rows', 'If it may be empty, run: proc items'],
    [false, 1, true, [], 'a.csv: ', 'To import the rows before the end, run: proc items'],
    [true, 1, true, [], 'a.csv: ', 'To import the rows before the end'],
  ])(
    'if the file is incomplete: %j %j %j %j',
    async (interactive, rows, isCut, allow, why, how) => {
      const run = await runOf([], { choices: { ...CHOICES, allow } });
      if (isCut) run.note({ fileProblem: { code: 'quote_open', args: {} } });
      const ports = { io: { terminal: { interactive } }, self: { typed: TYPED } } as never;
      const refused = incompleteRefusal(run, plan({ rows }), ports);
      if (why === undefined) expect(refused).toBeUndefined();
      else {
        expect(refused).toMatchObject({ code: 'invalid_input', details: { rows } });
        expect(refused!.message).toContain(why);
        expect(refused!.message).toMatch(/; nothing was sent$/);
        expect(refused!.hint).toContain(`Get the whole file. ${how}`);
        expect(refused!.hint).toMatch(/run: proc items import a.csv --allow incomplete$/);
      }
      run.close();
    },
  );
});

it.each<[text: string | undefined, rows: number, most: number | undefined]>([
  [undefined, 9, undefined],
  ['3', 9, 3],
  [' 3 ', 9, 3],
  ['50%', 9, 4.5],
  ['0%', 9, 0],
  ['100%', 9, 9],
  ['2.5%', 200, 5],
  ['1.25%', 400, 5],
  ['12', 9, 12],
])('--max-rejected %j of %d rows allows %j', (text, rows, most) => {
  expect(mostOf(text, rows)).toBe(most);
  const counts = { ...noCounts(), pending: rows - 1, rejected: 1 };
  expect(rejectedLimit(text, counts)).toBe(most);
});

it.each(['', 'x', '1.5', '101%', '100.5%', '-1', '5%x', 'x5%', '5 %', '1.%'])(
  'refuses --max-rejected %j',
  (text) => {
    expect(() => mostOf(text, 9)).toThrow(
      `--max-rejected ${JSON.stringify(text)}: expected a percentage such as 5% (0% to 100%) or a number of rows`,
    );
    expect(() => mostOf(text, 9)).toThrow(ProcError);
  },
);

it('a plan counts the rows of each state, and shows at most three of them', async () => {
  const reason = { code: 'same_as', args: { row: 1 } } as const;
  const states = ['existing', 'duplicate', 'rejected', 'unconfirmed', 'dropped'] as const;
  const run = await runOf([
    ...Array.from({ length: 4 }, () => ({})),
    ...states.map((state) => ({ state, id: `i-${state}`, reason })),
    { state: 'existing', id: 'i' },
  ]);
  const empty = makePlan(run);
  expect(empty.unguarded).toBe(0);
  run.note({ unguarded: 6 });
  const { samples, counts: counted, ...counts } = makePlan(run);
  expect(counted).toBe('rows');
  expect(counts).toEqual({
    ...{ rows: 10, create: 4, existing: 2, duplicates: 1, invalid: 1 },
    ...{ unconfirmed: 1, dropped: 1, unguarded: 6 },
  });
  expect(
    Object.fromEntries(
      Object.entries(samples).map(([of, some]) => [of, some.map(({ row }) => row)]),
    ),
  ).toEqual({
    create: [1, 2, 3],
    existing: [5, 10],
    duplicates: [6],
    invalid: [7],
    unconfirmed: [8],
  });
  run.close();
});
