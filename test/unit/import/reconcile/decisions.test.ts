import { describe, expect, it } from 'vitest';
import { storedProblem } from '../../../../src/core/problem/row-problem.ts';
import {
  chosen,
  decidedByFlags,
  decisionOf,
  nameOf,
  type ResolveFlags,
} from '../../../../src/import/reconcile/resolve/decision.ts';
import type { Unconfirmed } from '../../../../src/import/store/looked-up-rows.ts';
import { IMPUTATION_IMPORT } from '../../../../src/import/targets/imputation-import.ts';
import { ITEM_IMPORT } from '../../../../src/import/targets/item-import.ts';
import { CHOICES } from '../run-of.ts';

const FLAGS: ResolveFlags = {
  ...{ adopt: undefined, resend: false, drop: false, all: false, waitLock: undefined },
};
const HEADER = {
  run: 'R 1',
  noun: 'items',
  profile: 'acme',
  environment: 'live',
  choices: CHOICES,
} as never;
const row = (number: number, more: Partial<Unconfirmed> = {}): Unconfirmed => ({
  ...{ row: number, code: `A-${number}`, name: null, reason: null, status: null, sent_at: null },
  ...{ looked_up: 1, body: '{"code":"x"}', fingerprint: null },
  ...more,
});
const caught = (work: () => unknown) => {
  try {
    return work();
  } catch (thrown) {
    const { code, message, hint, details } = thrown as Record<string, unknown>;
    return {
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(details === undefined ? {} : { details }),
    };
  }
};
const usage = (message: string, hint?: string) => ({
  ...{ code: 'invalid_usage', message },
  ...(hint === undefined ? {} : { hint }),
});

describe('the decision that flags give', () => {
  const TYPED = ['imports', 'resolve', 'r', '--all', '--drop'];
  it.each<[flags: Partial<ResolveFlags>, rows: readonly string[], expected: unknown]>([
    [{}, [], undefined],
    [{}, ['1'], undefined],
    [{ adopt: 'i' }, ['1'], { kind: 'adopt', id: 'i' }],
    [{ resend: true }, ['1'], { kind: 'resend' }],
    [{ drop: true, all: true }, [], { kind: 'drop' }],
    [{ adopt: '' }, ['1'], usage('--adopt is empty, expected an id')],
    [{ adopt: 'i', drop: true }, [], usage('use only one of --adopt, --resend and --drop')],
    [{ resend: true, drop: true }, [], usage('use only one of --adopt, --resend and --drop')],
    [
      { drop: true, all: true },
      ['1'],
      usage('--all cannot be combined with rows', 'Remove --all: proc imports resolve r --drop'),
    ],
  ])('%j %j', (flags, rows, expected) => {
    expect(caught(() => decisionOf({ ...FLAGS, ...flags }, rows, TYPED))).toEqual(expected);
  });
});

describe('the rows that are meant', () => {
  const ROWS = [
    row(1),
    row(2, { code: '1' }),
    row(3, { code: 'X' }),
    row(4, { code: 'X' }),
    row(5, { code: null }),
  ];
  const numbers = (typed: readonly string[]) =>
    chosen(ROWS, typed, 'r').map(({ row: one, id }) =>
      id === undefined ? one.row : `${one.row} ${id}`,
    );
  it.each<[typed: readonly string[], rows: readonly (number | string)[]]>([
    [[], [1, 2, 3, 4, 5]],
    [
      ['1=i-1', 'A-1', '5=a=b'],
      [1, '5 a=b'],
    ],
    [['1'], [1]],
    [['X'], [3, 4]],
    [
      ['4', 'X', '4'],
      [4, 3],
    ],
    [
      ['5', 'A-1'],
      [5, 1],
    ],
  ])('%j', (typed, rows) => expect(numbers(typed)).toEqual(rows));

  it('are unconfirmed', () => {
    expect(caught(() => numbers(['9']))).toEqual({
      code: 'reference_not_found',
      message: 'row 9 of r is not unconfirmed',
      hint: 'Unconfirmed rows: 1, 2, 3, 4, 5',
    });
    expect(caught(() => chosen([], ['9'], 'r'))).toMatchObject({
      hint: 'The run has no unconfirmed rows',
    });
    const many = Array.from({ length: 11 }, (_, at) => row(at + 1));
    expect(caught(() => chosen(many, ['x'], 'r'))).toMatchObject({
      hint: 'Unconfirmed rows: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …',
    });
  });

  it('have a number, and a code', () => {
    expect([nameOf(row(7)), nameOf(row(7, { code: null }))]).toEqual(['row 7 (A-7)', 'row 7']);
  });
});

describe('decisions by flags', () => {
  const resolving = (given: object | undefined, target = IMPUTATION_IMPORT) =>
    ({ given, header: HEADER, target, typed: [], flags: FLAGS }) as never;
  const io = (interactive: boolean) => ({ io: { terminal: { interactive } } }) as never;
  const decided = (
    rows: readonly Unconfirmed[],
    given?: object,
    interactive = false,
    target = IMPUTATION_IMPORT,
  ) =>
    caught(
      () =>
        decidedByFlags(
          rows.map((one) => ({ row: one })),
          0,
          resolving(given, target),
          io(interactive),
        ).decided,
    );
  const REASON = storedProblem({ code: 'connection_broke', args: { cause: 'ECONNRESET' } });

  it('are the same for each row', () => {
    const drop = { kind: 'drop' };
    expect(decided([row(1), row(2)], drop)).toEqual([
      { row: row(1), decision: drop },
      { row: row(2), decision: drop },
    ]);
    expect(decided([], drop)).toEqual([]);
    expect(decided([])).toEqual([]);
    const adopt = { kind: 'adopt', id: "i'1" };
    expect(decided([row(1)], adopt)).toEqual([{ row: row(1), decision: adopt }]);
    expect(decided([row(3), row(2)], adopt)).toEqual(
      usage(
        '--adopt gives one id, but there are 2 unconfirmed rows',
        "Give each row its id: proc imports resolve 'R 1' -p acme -e live '3=i'\\''1' ROW=ID",
      ),
    );
  });

  it('are asked for on a terminal, and demanded elsewhere', () => {
    expect(decided([row(1)], undefined, true)).toEqual([]);
    expect(decided([row(1, { reason: REASON, sent_at: 0, status: 500 })])).toEqual({
      code: 'confirmation_required',
      message: expect.stringMatching(/^1 row is unconfirmed: row 1 \(A-1\): .*ECONNRESET/),
      hint: "Check the service, then run: proc imports resolve 'R 1' -p acme -e live 1 --adopt ID, --resend or --drop",
      details: {
        rows: [
          {
            ...{ row: 1, code: 'A-1', reason: expect.stringContaining('ECONNRESET'), status: 500 },
            ...{ sentAt: '1970-01-01T00:00:00.000Z', body: { code: 'x' } },
          },
        ],
      },
    });
    const many = Array.from({ length: 12 }, (_, at) => row(at + 1, { code: null }));
    const { message, hint, details } = decided(many) as {
      message: string;
      hint: string;
      details: { rows: object[] };
    };
    expect(message).toBe(
      '12 rows are unconfirmed: row 1: no response was recorded; row 2: no response was recorded; row 3: no response was recorded; …',
    );
    expect(hint).toMatch(
      /^List all: proc imports rows 'R 1' --state unconfirmed\. Check the service, then run/,
    );
    expect(details.rows).toHaveLength(10);
    expect(details.rows[0]).toMatchObject({ sentAt: null, reason: null });
    expect((decided(many.slice(0, 3)) as { hint: string }).hint).toMatch(/^Check the service/);
  });

  it('are refused for rows that a look-up may still find', () => {
    const open = { looked_up: 0 };
    const LOOK = "Look them up first: proc imports resume 'R 1' -p acme -e live";
    expect(
      decided(
        [row(1, open), row(2), row(3, { ...open, code: null, name: 'N' })],
        { kind: 'drop' },
        false,
        ITEM_IMPORT,
      ),
    ).toEqual(usage('2 rows have not been looked up yet: 1, 3', LOOK));
    const drop = { kind: 'drop' };
    expect(decided([row(1, open)], drop)).toHaveLength(1);
    expect(
      decided([row(1), row(2, { ...open, code: null })], drop, false, ITEM_IMPORT),
    ).toHaveLength(2);
  });
});
