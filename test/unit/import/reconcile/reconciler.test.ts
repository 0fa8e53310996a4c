import { describe, expect, it } from 'vitest';
import { Reconciler } from '../../../../src/import/reconcile/reconciler.ts';
import { type LookUpResult, verdictsOf } from '../../../../src/import/reconcile/verdicts.ts';
import type { Decided } from '../../../../src/import/store/send-queue.ts';
import { type GivenRow, listOf, runOf, shopOf } from '../run-of.ts';

/** When the rows were sent; the service needs a second to apply them, and a request may leave a second late. */
const SENT = 100_000;
const SETTLE = 1_000;
const DUE = SENT + SETTLE + 1_000;

const row = (state: GivenRow['state'], code: string | null, more: GivenRow = {}): GivenRow => ({
  ...{ state: state!, code, sentAt: SENT, tries: 1 },
  ...more,
});
const shown = ({ row: number, was, verdict }: Decided): string => {
  const { state, id, status, lookedUp, reason } = verdict;
  const parked = lookedUp === true ? 'parked' : undefined;
  return [number, was, state, id, status, parked, reason?.code]
    .filter((one) => one !== undefined)
    .join(' ');
};

interface Scene {
  readonly rows: readonly GivenRow[];
  /** The codes of the list. */
  readonly list?: readonly (string | null)[] | undefined;
  readonly before?: readonly string[];
  readonly baseline?: 'complete' | 'searched' | 'unproved';
  readonly now?: number;
  readonly agesFrom?: number;
  readonly isOneByOne?: boolean;
  readonly others?: readonly string[];
}

async function reconciling(scene: Scene) {
  const { rows, list = [], before = [], baseline = 'complete', now = DUE, others = [] } = scene;
  const run = await runOf(rows);
  run.commit(() => run.rows.catalogue.add(before.map((id) => ({ id, code: null, name: null }))));
  const shop = shopOf(list);
  const decided: string[] = [];
  const asked: string[][] = [];
  const clock = { at: now, now: () => clock.at, intentMs: 1_000 };
  let relearned = 0;
  const ports = {
    ...{
      run,
      baseline,
      clock,
      settleMs: SETTLE,
      agesFrom: scene.agesFrom ?? 0,
      keyField: 'code',
    },
    listing: scene.list === undefined && 'list' in scene ? undefined : listOf(shop),
    nameField: 'name',
    isOneByOne: () => scene.isOneByOne === true,
    onHidden() {},
    record: (some: readonly Decided[]) => {
      decided.push(...some.map(shown));
      run.commit(() => {
        for (const { row: number, was, verdict } of some) {
          const by = was === 'rejected' ? 'compare' : 'reconcile';
          run.rows.writer.apply(number, by, verdict.state as never, verdict);
        }
      });
    },
    createdByOthers: async (ids: readonly string[]) => {
      asked.push([...ids]);
      return new Set(ids.filter((id) => others.includes(id)));
    },
    relearn: async () => {
      relearned++;
      return undefined;
    },
  };
  const reconciler = new Reconciler(ports as never);
  return { reconciler, run, shop, decided, asked, clock, ports, relearned: () => relearned };
}

const CODES = Array.from({ length: 30 }, (_, n) => `L-${10 + n}`);

describe('when rows can be looked up', () => {
  it.each<[what: string, scene: Scene, at: number | undefined]>([
    [
      'never, without open rows',
      { rows: [row('created', 'A', { id: 'a' }), row('pending', 'B')] },
      undefined,
    ],
    ['once the request was applied', { rows: [row('unconfirmed', 'A')] }, DUE],
    [
      'after the oldest',
      { rows: [row('unconfirmed', 'A'), row('unconfirmed', 'B', { sentAt: SENT - 5 })] },
      DUE - 5,
    ],
    [
      'later, if the age is unknown',
      { rows: [row('unconfirmed', 'A')], agesFrom: SENT + 9 },
      DUE + 9,
    ],
    ['at once, without code and name', { rows: [row('unconfirmed', null)] }, 0],
    ['at once, without a list', { rows: [row('unconfirmed', 'A')], list: undefined }, 0],
    ['never, without code and list', { rows: [row('pending', null)], list: undefined }, undefined],
    ['at once, if nothing is known', { rows: [row('unconfirmed', 'A')], baseline: 'unproved' }, 0],
    ['after a conflict', { rows: [row('rejected', 'A', { status: 409 })] }, SETTLE + 1_000],
  ])('%s', async (_, scene, at) => {
    const { reconciler, run } = await reconciling(scene);
    expect(reconciler.nextAt()).toBe(at);
    run.close();
  });

  it('at once, if the service changes codes', async () => {
    const { reconciler, run } = await reconciling({ rows: [row('unconfirmed', 'A')] });
    run.set('codesAltered', true);
    expect(reconciler.nextAt()).toBe(0);
    run.close();
  });
});

describe('looking up all rows', () => {
  it.each<[what: string, scene: Scene, decided: readonly string[], requests?: number]>([
    [
      'parks them without a list',
      { rows: [row('unconfirmed', 'A'), row('unconfirmed', null)], list: undefined },
      [
        '2 unconfirmed unconfirmed parked not_listed',
        '1 unconfirmed unconfirmed parked not_listed',
      ],
      0,
    ],
    [
      'parks them if the list was not whole before',
      { rows: [row('unconfirmed', 'A')], baseline: 'unproved', list: ['A'] },
      ['1 unconfirmed unconfirmed parked unknown_before'],
      0,
    ],
    [
      'parks rows without code and name',
      { rows: [row('unconfirmed', null)], list: ['A'] },
      ['1 unconfirmed unconfirmed parked nothing_to_look_up'],
      0,
    ],
    [
      'leaves rows that are not due',
      { rows: [row('unconfirmed', 'A')], now: DUE - 1, list: ['A'] },
      [],
      0,
    ],
    [
      'leaves rows whose age is not known long enough',
      { rows: [row('unconfirmed', 'A')], agesFrom: SENT + 1, list: ['A'] },
      [],
      0,
    ],
    [
      'finds rows, and resends those that are absent',
      { rows: [row('unconfirmed', 'A-1'), row('unconfirmed', 'A-2')], list: ['A-1'] },
      ['1 unconfirmed created i-1', '2 unconfirmed pending'],
    ],
    [
      'finds rows by name',
      {
        rows: [
          row('unconfirmed', null, { name: 'Name 1' }),
          row('unconfirmed', null, { name: 'x' }),
        ],
        list: [null],
      },
      ['1 unconfirmed created i-1', '2 unconfirmed pending'],
    ],
    [
      'takes the record of a key that was taken',
      {
        rows: [row('rejected', 'A-1', { status: 409 }), row('rejected', 'A-2', { status: 409 })],
        list: ['A-1'],
      },
      ['1 rejected existing i-1', '2 rejected rejected 409 parked'],
    ],
    [
      'never takes records that existed before',
      { rows: [row('unconfirmed', 'A-1')], list: ['A-1'], before: ['i-1'] },
      ['1 unconfirmed existing i-1'],
    ],
    [
      'never takes records of other commands',
      { rows: [row('unconfirmed', 'A-1')], list: ['A-1'], others: ['i-1'] },
      ['1 unconfirmed existing i-1'],
    ],
    [
      'waits for a row with the same key that is under way',
      { rows: [row('unconfirmed', 'A-1'), row('sending', 'A-1')], list: ['A-1'] },
      [],
    ],
    [
      'waits for a row with the same key that was sent later',
      {
        rows: [row('unconfirmed', 'A-1'), row('unconfirmed', 'A-1', { sentAt: SENT + 1 })],
        list: ['A-1'],
      },
      [],
    ],
    [
      'parks two rows with one key',
      { rows: [row('unconfirmed', 'A-1'), row('unconfirmed', 'A-1')], list: ['A-1'] },
      [
        '1 unconfirmed unconfirmed parked records_with_key',
        '2 unconfirmed unconfirmed parked records_with_key',
      ],
    ],
    [
      'does not count the record of a created row',
      {
        rows: [row('unconfirmed', 'A-1'), row('created', 'A-1', { id: 'i-1' })],
        list: ['A-1', 'A-1'],
      },
      ['1 unconfirmed created i-2'],
    ],
    [
      'believes no absence while a stranger is in the list',
      { rows: [row('unconfirmed', 'A-1')], list: ['Zzz'] },
      ['1 unconfirmed unconfirmed parked strangers'],
    ],
    [
      'believes no absence while a created row is missing',
      { rows: [row('unconfirmed', 'A-1'), row('created', 'B-1', { id: 'b' })], list: [] },
      ['1 unconfirmed unconfirmed parked created_missing'],
    ],
  ])('%s', async (_, scene, decided, requests) => {
    const { reconciler, run, ...made } = await reconciling(scene);
    await reconciler.lookUpAll();
    expect(made.decided).toEqual(decided);
    if (requests !== undefined) expect(made.shop.log).toHaveLength(requests);
    run.close();
  });

  it('believes what an incomplete list shows, but no absence', async () => {
    const rows = [
      row('unconfirmed', 'A-1'),
      row('unconfirmed', 'A-2'),
      row('unconfirmed', null, { name: 'x' }),
    ];
    const { reconciler, run, decided, shop, relearned } = await reconciling({
      rows,
      list: ['A-1', ...CODES],
    });
    shop.isUnpaged = true;
    await reconciler.lookUpAll();
    expect(decided).toEqual([
      '1 unconfirmed created i-1',
      '3 unconfirmed unconfirmed parked list_incomplete',
      '2 unconfirmed unconfirmed parked list_incomplete',
    ]);
    expect(relearned()).toBe(1);
    run.close();
  });

  it('asks once whether the parameters have other names', async () => {
    const rows = [row('unconfirmed', 'A-1')];
    const { reconciler, run, shop, relearned } = await reconciling({ rows, list: CODES });
    shop.isUnpaged = true;
    await reconciler.lookUpAll();
    run.commit(() => run.rows.writer.reopen());
    await reconciler.lookUpAll();
    expect(relearned()).toBe(1);
    run.close();
  });

  it('parks all rows once the service changes codes', async () => {
    const rows = [row('unconfirmed', 'a-1'), row('created', 'b-1', { id: 'i-1' })];
    const { reconciler, run, decided } = await reconciling({ rows, list: ['B-1'] });
    await reconciler.lookUpAll();
    expect(decided).toEqual([]);
    expect(run.get('codesAltered')).toBe(true);
    await reconciler.lookUpAll();
    expect(decided).toEqual(['1 unconfirmed unconfirmed parked stored_otherwise']);
    run.close();
  });

  it('parks rows without a code if the service changes names', async () => {
    const rows = [
      row('unconfirmed', null, { name: 'bolt' }),
      row('unconfirmed', 'A-1'),
      row('created', null, { name: 'nut', id: 'i-1' }),
    ];
    const { reconciler, run, decided } = await reconciling({ rows, list: [null] });
    await reconciler.lookUpAll();
    expect(decided).toEqual([
      '1 unconfirmed unconfirmed parked stored_otherwise',
      '2 unconfirmed pending',
    ]);
    run.close();
  });
});

describe('looking up some rows while others are sent', () => {
  const witness = row('created', 'L-10', { id: 'i-1' });

  it('searches a sorted list for each code that a witness covers', async () => {
    const rows = [
      row('unconfirmed', 'L-20'),
      row('unconfirmed', 'L-99'),
      row('unconfirmed', 'odd'),
      witness,
    ];
    const { reconciler, run, decided, asked } = await reconciling({
      rows,
      list: [...CODES].reverse(),
    });
    // The ids count in the order of the service: L-10 is the last.
    run.commit(() => undefined);
    await reconciler.round();
    expect(decided).toEqual([]);
    run.close();
    const again = await reconciling({
      rows: [...rows.slice(0, 3), row('created', 'L-10', { id: 'i-30' })],
      list: [...CODES].reverse(),
    });
    await again.reconciler.round();
    expect(again.decided.sort()).toEqual(['1 unconfirmed created i-20', '2 unconfirmed pending']);
    expect(again.asked.flat()).toEqual(['i-20']);
    expect(asked).toEqual([]);
    await again.reconciler.lookUpAll();
    expect(again.decided.at(-1)).toBe('3 unconfirmed unconfirmed parked strangers');
    again.run.close();
  });

  it('reads no list while none is due, and none that is not sorted', async () => {
    const rows = [row('unconfirmed', 'L-20'), witness];
    const early = await reconciling({ rows, list: CODES, now: DUE - 1 });
    await early.reconciler.round();
    expect(early.shop.log).toEqual([]);
    early.run.close();
    const unsorted = await reconciling({ rows, list: [...CODES].reverse() });
    unsorted.shop.isUnsorted = true;
    await unsorted.reconciler.round();
    expect(unsorted.decided).toEqual([]);
    unsorted.run.close();
  });

  it('leaves many codes to a reading of the whole list', async () => {
    const many = Array.from({ length: 11 }, (_, n) => row('unconfirmed', `L-${50 + n}`));
    const list = [...CODES].reverse();
    const { reconciler, run, decided, shop } = await reconciling({
      rows: [...many, row('created', 'L-10', { id: 'i-30' })],
      list,
    });
    await reconciler.round();
    expect(decided).toEqual([]);
    const tests = shop.log.length;
    await reconciler.round();
    expect(shop.log).toHaveLength(tests);
    run.close();
    const few = await reconciling({
      rows: [...many.slice(1), row('unconfirmed', 'L-51'), row('created', 'L-10', { id: 'i-30' })],
      list,
    });
    await few.reconciler.round();
    expect(few.decided).toHaveLength(11);
    few.run.close();
  });

  it('parks at once what cannot be looked up', async () => {
    const { reconciler, run, decided } = await reconciling({
      rows: [row('unconfirmed', null), row('unconfirmed', 'A')],
      now: 0,
      list: ['A'],
    });
    await reconciler.round();
    expect(decided).toEqual(['1 unconfirmed unconfirmed parked nothing_to_look_up']);
    run.close();
    const none = await reconciling({ rows: [row('unconfirmed', null)], list: undefined });
    await none.reconciler.round();
    expect(none.decided).toEqual([]);
    none.run.close();
  });
});

describe('a verdict', () => {
  const verdicts = async (rows: readonly GivenRow[], onExisting: 'skip' | 'fail' = 'skip') => {
    const made = await reconciling({ rows });
    Object.assign(made.run.header.choices, { onExisting });
    return { ...made, verdicts: verdictsOf(made.ports as never, 10) };
  };
  const result = (
    value: string,
    ids: readonly string[],
    more: Partial<LookUpResult> = {},
  ): LookUpResult => ({
    ...{ key: 'code', value, ids, askedAt: SENT + 10 },
    ...more,
  });

  it('waits while a row with the key was sent shortly before the look-up', async () => {
    const made = await verdicts([row('unconfirmed', 'A')]);
    await made.verdicts.decide([result('A', ['x'], { askedAt: SENT + 9 })]);
    expect(made.decided).toEqual([]);
    await made.verdicts.decide([result('A', ['x'])]);
    expect(made.decided).toEqual(['1 unconfirmed created x']);
    made.run.close();
  });

  it('is about all rows with the key', async () => {
    const made = await verdicts([
      row('unconfirmed', 'A'),
      row('rejected', 'A', { status: 409, reason: { code: 'answered', args: { status: 409 } } }),
      row('rejected', 'A', { status: 409, lookedUp: 1 }),
      row('rejected', 'A', { status: 400 }),
      row('created', 'A', { id: 'own' }),
      row('unconfirmed', 'B'),
    ]);
    await made.verdicts.decide([result('A', ['own', 'x'])]);
    expect(made.decided).toEqual(['1 unconfirmed created x', '2 rejected existing own']);
    made.decided.length = 0;
    await made.verdicts.decide([result('B', []), result('none', [])]);
    expect(made.decided).toEqual(['6 unconfirmed pending']);
    made.run.close();
  });

  it('gives a doubted row its id back, and does not wait for rows that are created', async () => {
    const made = await verdicts([
      row('unconfirmed', 'A', { id: 'x' }),
      row('unconfirmed', 'B'),
      row('created', 'B', { id: 'own', sentAt: SENT + 5 }),
    ]);
    await made.verdicts.decide([result('A', ['x']), result('B', ['own', 'y'])]);
    expect(made.decided).toEqual(['1 unconfirmed created x', '2 unconfirmed created y']);
    made.run.close();
  });

  it('adds the records of others to the catalogue, under their key', async () => {
    const made = await reconciling({
      rows: [row('unconfirmed', 'A'), row('unconfirmed', null, { name: 'N' })],
      others: ['x', 'n'],
    });
    const decide = verdictsOf(made.ports as never, 0);
    await decide.decide([result('A', ['x', 'y']), result('N', ['n'], { key: 'name' })]);
    expect(made.asked).toEqual([['x', 'y', 'n']]);
    expect(made.decided).toEqual(['1 unconfirmed created y', '2 unconfirmed existing n']);
    const { catalogue } = made.run.rows;
    expect([catalogue.idsOf('code', 'A'), catalogue.idsOf('name', 'N')]).toEqual([['x'], ['n']]);
    expect(catalogue.count()).toBe(2);
    made.run.close();
  });

  it('is written for 32 keys at a time, and parking for 1,000 rows', async () => {
    const rows = Array.from({ length: 1_001 }, (_, n) => row('unconfirmed', `A-${n}`));
    const made = await reconciling({ rows });
    const sizes: number[] = [];
    const ports = {
      ...made.ports,
      record: (some: readonly Decided[]) => void sizes.push(some.length),
    };
    const decide = verdictsOf(ports as never, 0);
    await decide.decide(rows.slice(0, 65).map(({ code }) => result(code!, [])));
    decide.park(
      rows.map((_, at) => ({ row: at + 1, state: 'unconfirmed' as const })),
      { code: 'not_listed', args: {} },
    );
    expect(sizes).toEqual([32, 32, 1, 1_000, 1]);
    made.run.close();
  });
});
