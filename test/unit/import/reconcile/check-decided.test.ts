import { describe, expect, it } from 'vitest';
import { checkDecided } from '../../../../src/import/reconcile/resolve/check-decided.ts';
import type { Decided, Decision } from '../../../../src/import/reconcile/resolve/decision.ts';
import { IMPUTATION_IMPORT } from '../../../../src/import/targets/imputation-import.ts';
import { ITEM_IMPORT } from '../../../../src/import/targets/item-import.ts';
import { type GivenRow, portsOf, runOf, shopOf } from '../run-of.ts';

const row = (code: string | null, more: GivenRow = {}): GivenRow => ({
  ...{ state: 'unconfirmed', code, sentAt: 0, lookedUp: 1 },
  ...more,
});

interface Scene {
  readonly rows: readonly GivenRow[];
  readonly list?: readonly (string | null)[];
  readonly before?: readonly string[];
  readonly baseline?: 'complete' | 'searched' | 'unproved';
  readonly target?: typeof ITEM_IMPORT;
  readonly typed?: readonly string[];
  readonly flags?: object;
  readonly interactive?: boolean;
  readonly isUnpaged?: boolean;
  readonly holders?: Readonly<Record<string, string>>;
  readonly codesAltered?: boolean;
  readonly answers?: readonly (string | undefined)[];
  readonly facts?: object;
}

/** What becomes of decisions: `1 resend`, `2 adopt i-1`; or the error. */
async function checked(scene: Scene, ...decisions: readonly [row: number, decision: Decision][]) {
  const { rows, list = [], target = ITEM_IMPORT, before = [], holders = {}, answers = [] } = scene;
  const run = await runOf(rows, { run: 'R', noun: target.noun, baseUrl: 'http://x' });
  run.commit(() => run.rows.catalogue.add(before.map((id) => ({ id, code: 'old', name: null }))));
  run.note({ baseline: scene.baseline ?? 'complete', ...scene.facts });
  if (scene.codesAltered === true) run.set('codesAltered', true);
  const shop = { ...shopOf(list), isUnpaged: scene.isUnpaged === true };
  const { ports, said } = portsOf(shop, {
    typed: ['imports', 'resolve', 'R'],
    ...scene,
    flags: { again: false, yes: false, ...scene.flags },
  });
  const given = ports as unknown as Record<string, Record<string, unknown>>;
  const slept: number[] = [];
  given.self!.clock = {
    now: () => 5_000,
    monotonic: () => 0,
    random: () => 0,
    sleep: async (ms: number) => void slept.push(ms),
  };
  given.store!.open = async () => ({
    sentRows: () => ({
      creators: async (_: string, ids: readonly string[]) =>
        ids.flatMap((id) => (holders[id] === undefined ? [] : [{ id, run: holders[id], row: 7 }])),
    }),
    creatorOf: () => undefined,
  });
  const asked: unknown[] = [];
  given.ask = {
    select: async (question: unknown, choices: readonly { value: unknown }[]) => {
      asked.push([question, choices.map(({ value }) => value)]);
      return answers[asked.length - 1];
    },
  };
  const open = new Map(run.rows.unconfirmed.all().map((one) => [one.row, one]));
  const decided = decisions.map(
    ([number, decision]): Decided => ({ row: open.get(number)!, decision }),
  );
  const resolving = {
    ...{
      run,
      target,
      header: run.header,
      typed: [],
      given: undefined,
      folder: '',
      path: '',
    },
    flags: {},
  };
  let result: unknown;
  try {
    const left = await checkDecided(decided, resolving as never, ports);
    result = left.map(({ row: one, decision }) =>
      [one.row, decision.kind, decision.kind === 'adopt' ? decision.id : undefined]
        .filter(Boolean)
        .join(' '),
    );
  } catch (thrown) {
    const { code, message, hint, details } = thrown as Record<string, unknown>;
    if (code === undefined) throw thrown;
    result = { code, message, hint, details };
  }
  run.close();
  const texts = said.map(({ kind, text }) => (kind === 'notice' ? text : `${kind}: ${text}`));
  return { result, said: texts, requests: shop.log.length, slept, asked };
}

const RESEND: Decision = { kind: 'resend' };
const DROP: Decision = { kind: 'drop' };
const adopt = (id: string): Decision => ({ kind: 'adopt', id });

describe('rows to drop', () => {
  it('need no list', async () => {
    expect(await checked({ rows: [row('A')] }, [1, DROP])).toMatchObject({
      result: ['1 drop'],
      requests: 0,
    });
    expect(await checked({ rows: [row('A')] })).toMatchObject({ result: [], requests: 0 });
  });
});

describe('records to adopt', () => {
  it('must be in the list, and new', async () => {
    const scene = { rows: [row('B'), row('C')], list: ['A', 'B', 'C'] };
    expect(await checked(scene, [1, adopt('i-2')], [2, DROP])).toMatchObject({
      result: ['1 adopt i-2', '2 drop'],
      said: [],
      slept: [],
    });
    expect(await checked({ ...scene, before: ['i-2'] }, [1, adopt('i-2')])).toMatchObject({
      result: {
        code: 'reference_not_found',
        message: 'i-2 existed before this run started; nothing was changed',
        hint: 'If the row was not created, run: proc imports resolve R 1 --resend',
        details: { wrong: 1, rows: [{ row: 1, code: 'B', id: 'i-2', candidates: [] }] },
      },
    });
    expect(await checked(scene, [1, adopt('x')])).toMatchObject({
      result: {
        message: 'x is not in the list (new in the list: i-2); nothing was changed',
        hint: 'If the list shows what was created, adopt it: proc imports resolve R 1 --adopt i-2',
        details: { rows: [{ row: 1, code: 'B', candidates: ['i-2'] }] },
      },
    });
    expect((await checked(scene, [1, adopt('i-1')])).result).toMatchObject({
      message: 'i-1 has the code A, but row 1 has B (new in the list: i-2); nothing was changed',
    });
    expect((await checked({ ...scene, codesAltered: true }, [1, adopt('i-1')])).result).toEqual([
      '1 adopt i-1',
    ]);
    expect(
      (await checked({ ...scene, list: [null, 'B'] }, [1, adopt('i-1')])).result,
    ).toMatchObject({
      message:
        'i-1 has the code (none), but row 1 has B (new in the list: i-2); nothing was changed',
    });
  });

  it('of a long list are searched for by code, without reading it', async () => {
    const code = (n: number) => `L-${String(20_000 - n).padStart(5, '0')}`;
    const list = Array.from({ length: 20_000 }, (_, n) => code(n));
    const scene = { rows: [row('L-01234'), row('L-19999')], list };
    const one = await checked(scene, [1, adopt('i-18767')]);
    expect(one.result).toEqual(['1 adopt i-18767']);
    expect(one.requests).toBeLessThan(60);
    // Two rows, or an id that the search does not show, need the whole list.
    const two = await checked(scene, [1, adopt('i-18767')], [2, adopt('i-2')]);
    expect(two.result).toEqual(['1 adopt i-18767', '2 adopt i-2']);
    expect(two.requests).toBeGreaterThan(190);
    const other = await checked(scene, [1, adopt('i-7')]);
    expect(other.result).toMatchObject({
      message:
        'i-7 has the code L-19994, but row 1 has L-01234 (new in the list: i-18767); nothing was changed',
    });
    expect(other.requests).toBeGreaterThan(190);
  });

  it('belong to no other row or run', async () => {
    const own = { rows: [row('A'), row('B', { state: 'created', id: 'i-1' })], list: ['A'] };
    expect((await checked(own, [1, adopt('i-1')])).result).toMatchObject({
      message: 'i-1 was created by row 2 of this run; nothing was changed',
    });
    const other = { rows: [row('A')], list: ['A', 'A'], holders: { 'i-1': 'Q' } };
    expect((await checked(other, [1, adopt('i-1')])).result).toMatchObject({
      message: 'i-1 was created by row 7 of run Q (new in the list: i-2); nothing was changed',
      details: { rows: [{ candidates: ['i-2'] }] },
    });
    expect(
      (await checked({ ...other, holders: { 'i-1': 'Q', 'i-2': 'Q' } }, [1, adopt('i-1')])).result,
    ).toMatchObject({
      details: { rows: [{ candidates: [] }] },
    });
  });

  it('are not verified without a list, or with a part of it', async () => {
    const rows = [row('A'), row('B')];
    expect(await checked({ rows, target: IMPUTATION_IMPORT }, [1, adopt('x')])).toMatchObject({
      result: ['1 adopt x'],
      said: ['x was not verified: the service cannot list imputations'],
      requests: 0,
    });
    expect(
      (await checked({ rows, target: IMPUTATION_IMPORT }, [1, adopt('x')], [2, adopt('y')])).said,
    ).toEqual(['2 ids were not verified: the service cannot list imputations']);
    const list = Array.from({ length: 100 }, (_, n) => `L-${n}`);
    const partly = { rows, list, isUnpaged: true, baseline: 'unproved' } as const;
    expect(await checked(partly, [1, adopt('x')])).toMatchObject({
      result: ['1 adopt x'],
      said: [
        'warning: x was not verified: the list may be incomplete',
        'warning: cannot verify that x is new: before this run, proc could not read the complete list',
      ],
    });
    expect(
      (await checked({ rows, list: ['A'], baseline: 'unproved' }, [1, adopt('i-1')])).said,
    ).toEqual([
      'warning: cannot verify that i-1 is new: before this run, proc could not read the complete list',
    ]);
  });
});

describe('rows to resend', () => {
  it('must be absent from the list', async () => {
    expect(await checked({ rows: [row('A'), row('B')], list: ['Z'] }, [1, RESEND])).toMatchObject({
      result: { code: 'incomplete' },
    });
    expect(await checked({ rows: [row('A'), row('B')], list: [] }, [1, RESEND])).toMatchObject({
      result: ['1 resend'],
    });
    expect(
      await checked({ rows: [row('A'), row('B')], target: IMPUTATION_IMPORT }, [1, RESEND]),
    ).toMatchObject({
      result: ['1 resend'],
      requests: 0,
    });
  });

  it('wait until the service must have applied their requests', async () => {
    const at = (sentAt: number) =>
      checked({ rows: [row('A', { sentAt }), row('B', { sentAt: 4_999 })], list: [] }, [1, RESEND]);
    expect(await at(4_500)).toMatchObject({
      slept: [500],
      said: [
        'waiting 1 s before reading the list, because the service may still be applying a request',
      ],
    });
    expect((await at(4_000)).slept).toEqual([]);
    expect((await at(9_000)).slept).toEqual([1_000]);
  });

  it('are never resent if the list has them', async () => {
    const scene = {
      rows: [row('A'), row('A'), row('C')],
      list: ['A', 'A', 'x'],
      baseline: 'complete',
    } as const;
    expect(await checked(scene, [1, RESEND], [2, RESEND])).toMatchObject({
      result: {
        code: 'confirmation_required',
        message:
          'row 1 (A) is in the list as i-1, i-2, so sending it again would create it twice; row 2 (A) is in the list as i-1, i-2, so sending it again would create it twice; nothing was changed',
        hint: 'If the list shows what was created, adopt it: proc imports resolve R 1 --adopt i-1; proc imports resolve R 2 --adopt i-2',
        details: {
          wrong: 2,
          rows: [
            {
              ...{ row: 1, code: 'A', id: null, candidates: ['i-1', 'i-2'] },
              command: 'proc imports resolve R 1 --adopt i-1',
            },
            {
              ...{ row: 2, code: 'A', id: null, candidates: ['i-1', 'i-2'] },
              command: 'proc imports resolve R 2 --adopt i-2',
            },
          ],
        },
      },
    });
    expect(
      (await checked({ ...scene, before: ['i-1'], holders: { 'i-2': 'Q' } }, [1, RESEND])).result,
    ).not.toMatchObject({ code: 'confirmation_required' });
    expect(await checked({ ...scene, list: ['A'] }, [1, RESEND], [2, adopt('i-1')])).toMatchObject({
      result: ['1 resend', '2 adopt i-1'],
    });
  });

  it('are found as the service stores them', async () => {
    const facts = { codesChanged: { name: 'upper case', sent: 'x', stored: 'X' } };
    const one = await checked({ rows: [row('a')], list: ['A'], facts }, [1, RESEND]);
    expect(one.result).toMatchObject({ code: 'confirmation_required' });
    const rows = [row('a'), row('b'), row(null, { body: '{"name":"Name 3"}' })];
    const several = await checked(
      { rows, list: ['A', 'B', null], facts },
      [1, RESEND],
      [2, RESEND],
      [3, RESEND],
    );
    expect(several.result).toMatchObject({
      message: expect.stringMatching(
        /^row 1 \(a\) is in the list as i-1, .*; row 2 \(b\) is in the list as i-2, .*; row 3 is in the list as i-3, /,
      ),
    });
  });

  it('are proposed for adoption on a terminal', async () => {
    const scene = { rows: [row('A'), row('A'), row('B')], list: ['A', 'A'], interactive: true };
    const { result, asked } = await checked(
      { ...scene, answers: ['i-2', undefined] },
      [1, RESEND],
      [2, RESEND],
    );
    expect(result).toEqual(['1 adopt i-2']);
    expect(asked).toMatchObject([
      [expect.anything(), ['i-1', 'i-2', undefined]],
      [expect.anything(), ['i-1', undefined]],
    ]);
    const taken = await checked(
      { ...scene, list: ['A'], answers: ['i-1'] },
      [1, RESEND],
      [2, RESEND],
    );
    expect([taken.result, taken.asked.length]).toEqual([['1 adopt i-1'], 1]);
    const quiet = await checked({ ...scene, flags: { yes: true } }, [1, RESEND]);
    expect(quiet.result).toMatchObject({ code: 'confirmation_required' });
    expect((await checked({ ...scene, list: [], answers: [] }, [3, RESEND])).result).toEqual([
      '3 resend',
    ]);
  });

  it('need --again while their absence is not proved', async () => {
    const doubt = (scene: Partial<Scene>) =>
      checked(
        {
          rows: [row('A'), row(null, { body: '{}' }), row(null, { body: '{}' })],
          list: [],
          ...scene,
        },
        [1, RESEND],
        [2, RESEND],
        [3, RESEND],
      );
    expect(await doubt({})).toMatchObject({
      result: {
        code: 'incomplete',
        message:
          '2 rows were not found in the list (row 2, row 3), but there is no code to look up; nothing was changed',
        hint: 'If you know that the rows were not created, run: proc imports resolve R 2 --resend --again',
        details: {
          notFound: 2,
          rows: [
            { row: 2, code: null, candidates: [] },
            { row: 3, code: null, candidates: [] },
          ],
        },
      },
    });
    expect((await doubt({ typed: ['imports', 'resolve', 'R', '--resend'] })).result).toMatchObject({
      hint: 'If you know that the rows were not created, run: proc imports resolve R --resend --again',
    });
    expect(await doubt({ flags: { again: true } })).toMatchObject({
      result: ['1 resend', '2 resend', '3 resend'],
      said: [
        'warning: 2 rows were not found in the list (row 2, row 3), but there is no code to look up. If they were created, resuming creates them a second time',
      ],
    });
    const altered = await checked({ rows: [row('A')], list: [], codesAltered: true }, [1, RESEND]);
    expect(altered.result).toMatchObject({
      message: expect.stringMatching(/^1 row was not found in the list \(A\), but .*code/),
    });
    const list = Array.from({ length: 100 }, (_, n) => `L-${n}`);
    const partly = await checked({ rows: [row('A')], list, isUnpaged: true }, [1, RESEND]);
    expect(partly.result).toMatchObject({
      hint: 'Detect the parameter names: proc doctor. If you know that the row was not created, run: proc imports resolve R 1 --resend --again',
    });
    const similar = await checked(
      { rows: [row('A-1'), row('B-1')], list: ['a 1'], baseline: 'searched' },
      [1, RESEND],
      [2, RESEND],
    );
    expect(similar.result).toMatchObject({
      details: { rows: [{ row: 1, code: 'A-1', candidates: [] }] },
    });
  });
});
