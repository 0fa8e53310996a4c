import { describe, expect, it } from 'vitest';
import { confirmPlan, planResult, sayPlan } from '../../../../src/import/plan/confirm-plan.ts';
import { checkItemsInPlace } from '../../../../src/import/plan/plan-items-in-place.ts';
import { planRecord, planRun } from '../../../../src/import/plan/plan-run.ts';
import type { RunHeader } from '../../../../src/import/store/facts.ts';
import type { ImportTarget } from '../../../../src/import/targets/import-target.ts';
import { IMPUTATION_IMPORT } from '../../../../src/import/targets/imputation-import.ts';
import { ITEM_IMPORT } from '../../../../src/import/targets/item-import.ts';
import { REQUISITION_IMPORT } from '../../../../src/import/targets/requisition-import.ts';
import {
  CHOICES,
  findingsIn,
  type GivenRow,
  type Known,
  portsOf,
  runOf,
  shopOf,
  statesIn,
} from '../run-of.ts';

interface Scene {
  readonly rows?: readonly GivenRow[];
  readonly list?: readonly (string | null)[];
  readonly header?: Partial<RunHeader>;
  readonly target?: ImportTarget;
  readonly known?: readonly Known[];
  readonly flags?: object;
  readonly hasKey?: boolean;
  readonly mayBeUnverified?: boolean;
  readonly interactive?: boolean;
  readonly shop?: Partial<ReturnType<typeof shopOf>>;
  readonly maxCreate?: { readonly count: number; readonly from: string };
  readonly failsIfRejected?: boolean;
  readonly typed?: readonly string[];
  /** All rows have been read, as when a command plans. */
  readonly isRead?: boolean;
}

async function planned(scene: Scene) {
  const { rows = [{}, {}], list = [], target = ITEM_IMPORT, mayBeUnverified = false } = scene;
  const run = await runOf(rows, { mapping: { fields: {}, nulls: [] }, ...scene.header });
  run.commit(() => run.rows.addIndexes());
  if (scene.isRead) await run.advance('read');
  const shop = { ...shopOf(list), ...scene.shop };
  const { ports, said } = portsOf(shop, scene);
  const steps: string[] = [];
  let finished = 0;
  const opened = {
    ...{ run, target, began: 0 },
    options: {
      patienceMs: 1,
      mayBeUnverified,
      maxCreate: scene.maxCreate,
      failsIfRejected: scene.failsIfRejected,
    },
    progress: {
      step: (text: string, data: object) => void steps.push(`${text} ${JSON.stringify(data)}`),
      finish: () => void finished++,
    },
  } as never;
  const plan = await planRun(opened, ports).catch((thrown: unknown) => {
    throw thrown;
  });
  const states = statesIn(run);
  return { plan, run, shop, ports, said, steps, opened, states, finished: () => finished };
}

const texts = (said: readonly { readonly kind: string; readonly text: string }[]) =>
  said.map(({ kind, text }) => `${kind}: ${text}`);

describe('a plan compares the rows with the list', () => {
  it('and marks those that exist, by code and by name', async () => {
    const { plan, run, states, shop, steps, finished } = await planned({
      rows: [
        { code: 'B' },
        { code: 'X' },
        { code: null, name: 'Name 1', body: '{"name":"Name 1"}' },
        { code: 'A' },
      ],
      list: [null, 'B', 'a-1'],
    });
    expect(states).toEqual(['1 existing i-2', '2 pending', '3 existing i-1', '4 pending']);
    expect(plan).toMatchObject({
      plan: { rows: 4, create: 2, existing: 2 },
      baseline: 'complete',
      inList: { codes: 1, rows: 3, isAtLeast: false },
      items: undefined,
      findings: [],
      otherNames: undefined,
      expected: undefined,
      now: 0,
      refusal: undefined,
    });
    expect(run.get('baseline')).toBe('complete');
    expect(run.get('findings')).toBeUndefined();
    expect(shop.log[0]).toBe('0+100 code asc');
    expect(steps.at(-1)).toBe(
      'Reading the catalogue: 3 rows {"step":"plan","what":"rows read","count":3}',
    );
    expect(finished()).toBe(1);
    run.close();
  });

  it('and finds other names and other spellings', async () => {
    const { plan, run } = await planned({
      rows: [{ code: 'A', name: 'Bolt' }, { code: 'B', name: 'Name 2' }, { code: 'a' }],
      list: ['A', 'B'],
      header: { source: { name: 'a.csv', path: '/a.csv' } as never },
    });
    expect(plan.otherNames).toMatchObject({
      count: 1,
      samples: [{ code: 'A', name: 'Bolt', catalogueName: 'Name 1' }],
    });
    expect(plan.findings).toMatchObject([{ kind: 'twins', count: 1 }]);
    expect(run.get('findings')).toEqual(plan.findings);
    expect(plan.refusal?.message).toMatch(/^1 code looks like codes of existing records/);
    run.close();
  });

  it('and keeps the findings of staging, but not those of an earlier plan', async () => {
    const old = { kind: 'twins', field: 'code', count: 9, samples: [] } as const;
    const staged = { kind: 'html_entities', count: 1, samples: [] } as const;
    const run = await runOf([{ code: 'x' }, { code: 'X' }]);
    run.note({ findings: [old, staged] });
    const { ports } = portsOf(shopOf([]));
    const progress = { step() {}, finish() {} };
    const opened = {
      run,
      target: ITEM_IMPORT,
      options: { patienceMs: 1, mayBeUnverified: false },
      progress,
      began: 0,
    };
    const { findings } = await planRun(opened as never, ports);
    expect(findings.map(({ kind, count }) => [kind, count])).toEqual([
      ['html_entities', 1],
      ['twins', 1],
    ]);
    expect(run.get('findings')).toEqual(findings);
    run.close();
  });

  it('and finds rejected rows whose code exists before it sends anything', async () => {
    const rows = [
      { state: 'rejected', code: 'B', reason: { code: 'missing', args: { expected: 'text' } } },
      { state: 'rejected', code: 'X', reason: { code: 'missing', args: { expected: 'text' } } },
      { code: 'N' },
    ] as const;
    const { plan, run, states } = await planned({ isRead: true, rows, list: ['A', 'B'] });
    expect(states).toEqual(['1 existing i-2', '2 rejected missing', '3 pending']);
    expect(plan.plan).toMatchObject({ create: 1, existing: 1, invalid: 1 });
    run.close();
  });

  it('not if nothing is pending, offline, or without a key', async () => {
    const none = await planned({ rows: [{ state: 'rejected' }], list: ['A-1'] });
    expect([none.plan.baseline, none.shop.log, none.plan.inList]).toEqual([
      'complete',
      [],
      undefined,
    ]);
    const offline = await planned({ list: ['A-1'], flags: { offline: true } });
    expect([offline.plan.baseline, offline.shop.log, offline.states]).toEqual([
      'not read',
      [],
      ['1 pending', '2 pending'],
    ]);
    expect(offline.said).toEqual([]);
    const keyless = await planned({ list: ['A-1'], hasKey: false });
    expect([keyless.plan.baseline, keyless.shop.log]).toEqual(['not read', []]);
    expect(texts(keyless.said)).toEqual([
      'warning: the catalogue was not read, so existing rows count as new: there is no key for this address',
    ]);
    for (const { run } of [none, offline, keyless]) run.close();
  });

  it('if the list is long and sorted, only around the codes', async () => {
    const list = Array.from(
      { length: 30_000 },
      (_, n) => `L-${String(30_000 - n).padStart(5, '0')}`,
    );
    const { plan, run, states, shop, steps } = await planned({
      rows: [{ code: 'L-01234' }, { code: 'L-x' }, { code: 'l-20000' }],
      list,
    });
    expect(states).toEqual(['1 existing i-28767', '2 pending', '3 pending']);
    expect(plan).toMatchObject({ baseline: 'searched', inList: { codes: 1, isAtLeast: true } });
    expect(plan.findings).toMatchObject([
      { kind: 'twins', samples: [{ value: 'l-20000', other: { value: 'L-20000' } }] },
    ]);
    expect(shop.log.length).toBeLessThan(150);
    expect(steps.at(-1)).toMatch(/"what":"codes looked up","count":\d+/);
    run.close();
    // A record beside the codes that are searched for, whose code is in none of their spellings.
    const beside = await planned({
      rows: [{ code: 'mX-1' }, { code: 'L-01234' }],
      list: [...list, 'Mx-1', 'Mz-1', null],
    });
    expect(beside.plan).toMatchObject({
      baseline: 'searched',
      findings: [{ kind: 'twins', samples: [{ value: 'mX-1', other: { value: 'Mx-1' } }] }],
    });
    beside.run.close();
    const withName = await planned({
      rows: [{ code: null, name: 'Name 7', body: '{"name":"Name 7"}' }],
      list,
    });
    expect([withName.plan.baseline, withName.states]).toEqual(['complete', ['1 pending']]);
    withName.run.close();
    // A rejected row may exist too.
    const rejected = await planned({
      isRead: true,
      rows: [
        ...[{ code: 'L-01234' }, { state: 'rejected', code: 'L-9' } as const],
        { state: 'rejected', code: null, name: 'Name 7' },
      ],
      list,
    });
    expect(rejected.plan.baseline).toBe('complete');
    rejected.run.close();
    const short = await planned({ rows: [{ code: 'L-29990' }], list: list.slice(0, 2_000) });
    expect([short.plan.baseline, short.states]).toEqual(['complete', ['1 existing i-11']]);
    short.run.close();
    const unsorted = await planned({
      rows: [{ code: 'L-00002' }],
      list,
      shop: { isUnsorted: true } as never,
    });
    expect([unsorted.plan.baseline, unsorted.states]).toEqual(['complete', ['1 existing i-29999']]);
    unsorted.run.close();
  });
});

describe('a list whose end cannot be verified', () => {
  const list = Array.from({ length: 100 }, (_, n) => `L-${n}`);
  const scene: Scene = {
    rows: [{ code: 'L-3' }, { code: 'N-1' }, { code: 'N-2' }],
    list,
    shop: { isUnpaged: true } as never,
  };

  it('refuses the plan', async () => {
    const { plan, run, states, finished } = await planned(scene);
    expect(states).toEqual(['1 existing i-4', '2 pending', '3 pending']);
    expect(plan.baseline).toBe('unproved');
    expect(run.get('baseline')).toBe('unproved');
    expect(plan.refusal).toMatchObject({
      code: 'catalogue_unverified',
      hint: 'Detect the parameter names: proc doctor. If the service returns every list in one response, set PROC_DIALECT=paging=none. To create the rows anyway, run: proc items import a.csv --allow unverified',
      details: { unverified: 2, existing: 1 },
    });
    expect(plan.refusal!.message).toMatch(
      /^cannot verify that the list of items is complete: 2 rows may already exist, so nothing was sent\. 1 other row is known to exist\. /,
    );
    expect(finished()).toBe(0);
    run.close();
  });

  it.each<[what: string, rows: number, shop: object, why: string | undefined]>([
    ['takes no limit', 60, { names: {} }, 'Limit: none of 19 names limits the number of rows'],
    [
      'takes only the order by another name',
      60,
      { names: { sort: 'orderBy', dir: 'order' } },
      'Limit: none of 19 names limits the number of rows',
    ],
    [
      'returns 150 rows',
      150,
      { isUnpaged: true },
      'The service always returns exactly 150 rows: this may be the whole list, or the largest page that it returns',
    ],
    ['returns 151 rows', 151, { isUnpaged: true }, undefined],
  ])(
    'is a reason to refuse unless one response shows it: the service %s',
    async (_, count, shop, why) => {
      const { plan, run } = await planned({
        rows: [{ code: 'N-1' }],
        list: Array.from({ length: count }, (_one, n) => `L-${n}`),
        shop: shop as never,
      });
      if (why === undefined) expect(plan.refusal).toBeUndefined();
      else expect(plan.refusal!.message).toContain(why);
      expect(run.get('learned') === undefined).toBe(why !== undefined);
      run.close();
    },
  );

  it('is allowed with a warning', async () => {
    const { plan, run, said } = await planned({ ...scene, mayBeUnverified: true });
    expect(plan.refusal).toBeUndefined();
    expect(texts(said).at(-1)).toMatch(
      /^warning: cannot verify that the list of items is complete: 2 rows may already exist and will be created anyway\. proc cannot look up unconfirmed rows in this list\. /,
    );
    run.close();
  });

  it('is read with other names of its parameters, if the service has them', async () => {
    const names = { limit: 'pageSize', offset: 'skip', sort: 'sort', dir: 'dir' };
    const { plan, run, said, states, finished } = await planned({
      rows: [{ code: 'L-3' }, { code: 'N-1' }],
      list: Array.from({ length: 130 }, (_, n) => `L-${n}`),
      shop: { names } as never,
    });
    expect(states).toEqual(['1 existing i-4', '2 pending']);
    expect(plan).toMatchObject({ baseline: 'complete', refusal: undefined });
    expect(run.get('learned')).toEqual({
      text: expect.stringContaining('limit=pageSize'),
      takesSort: true,
    });
    expect(texts(said)).toEqual([
      'notice: detected the parameter names of the list of items: limit=pageSize, offset=skip. Using them for this run',
      expect.stringMatching(
        /^warning: cannot store the parameter names: .*\. Set the variable PROC_DIALECT='items\.limit=pageSize,items\.offset=skip,.*' instead$/,
      ),
    ]);
    expect(finished()).toBe(1);
    run.close();
  });

  it('is no reason to refuse a plan that creates nothing', async () => {
    const { plan, run } = await planned({ ...scene, rows: [{ code: 'L-3' }] });
    expect([plan.baseline, plan.refusal]).toEqual(['unproved', undefined]);
    run.close();
  });

  it('shows what this machine has created', async () => {
    const known = [
      { id: 'k', code: 'N-1' },
      { id: 'l', code: null },
    ];
    const { run, states } = await planned({ ...scene, known });
    expect(states).toEqual(['1 existing i-4', '2 existing k', '3 pending']);
    run.close();
  });
});

describe('what this machine has created', () => {
  it('must be in the list', async () => {
    const known = [
      { id: 'k', code: 'N-1' },
      { id: 'i-1', code: 'L' },
    ];
    const scene: Scene = { rows: [{ code: 'N-1' }, { code: 'N-2' }], list: ['L'], known };
    const { plan, run } = await planned(scene);
    expect(plan.baseline).toBe('unproved');
    expect(run.get('baseline')).toBe('unproved');
    expect(plan.refusal).toMatchObject({
      code: 'catalogue_unverified',
      message:
        '1 row was created from this machine, but the list of items does not show it: N-1 (k); nothing was sent',
      hint: 'Check the service. If it was deleted there, create it again: proc items import a.csv --allow unverified',
      details: { hidden: 1, notListed: [{ code: 'N-1', id: 'k' }] },
    });
    run.close();
    const allowed = await planned({ ...scene, mayBeUnverified: true });
    expect([allowed.plan.baseline, allowed.plan.refusal]).toEqual(['unproved', undefined]);
    expect(allowed.states).toEqual(['1 pending', '2 pending']);
    allowed.run.close();
    // Also of a list that was only searched.
    const list = Array.from(
      { length: 30_000 },
      (_, n) => `L-${String(30_000 - n).padStart(5, '0')}`,
    );
    const searched = await planned({ ...scene, list });
    expect(searched.plan).toMatchObject({
      baseline: 'unproved',
      refusal: { details: { hidden: 1 } },
    });
    expect(searched.shop.log.length).toBeLessThan(200);
    searched.run.close();
  });

  it('names at most ten, and three in the text', async () => {
    const codes = Array.from({ length: 12 }, (_, n) => `N-${n}`);
    const known = codes.map((code) => ({ id: `id ${code}`, code }));
    const { plan, run } = await planned({
      rows: codes.map((code) => ({ code })),
      list: ['L'],
      known: [...known, ...known, { id: 'i-1', code: 'L' }],
    });
    expect(plan.refusal!.message).toBe(
      '12 rows were created from this machine, but the list of items does not show them: N-0 (id N-0), N-1 (id N-1), N-2 (id N-2), …; nothing was sent',
    );
    expect(plan.refusal!.hint).toContain('If they were deleted there, create them again');
    expect(plan.refusal!.details).toMatchObject({
      hidden: 12,
      notListed: known.slice(0, 10).map(({ id, code }) => ({ code, id })),
    });
    run.close();
  });

  it('is all gone if the service was reset', async () => {
    const known = [
      { id: 'k-1', code: 'K-1' },
      { id: 'k-2', code: null },
    ];
    const scene: Scene = { list: ['L'], known, flags: { profile: 'acme', env: 'live' } };
    const { plan, run } = await planned(scene);
    expect(plan.refusal).toMatchObject({
      code: 'ids_restarted',
      message:
        'ids start again; was the service reset? This machine has created 2 records there (k-1, …), but the list of items shows none of them; nothing was sent',
      hint: 'If it was reset, let proc forget what it sent there: proc history prune --service -p acme -e live',
      details: { known: 2, command: 'proc history prune --service -p acme -e live' },
    });
    run.close();
    for (const other of [
      { ...scene, known: [] },
      { ...scene, known: [...known, { id: 'i-1', code: 'l' }] },
      { ...scene, mayBeUnverified: true },
      { ...scene, rows: [{ code: 'L' }] },
      { ...scene, rows: [] },
    ]) {
      const { plan: given, run: own } = await planned(other);
      expect(given.refusal?.code === 'ids_restarted').toBe(false);
      own.close();
    }
  });

  it('shows how the service stores codes', async () => {
    const known = [
      { id: 'i-3', code: null },
      { id: 'i-1', code: 'k-1' },
      { id: 'i-2', code: 'k-2' },
    ];
    const { plan, run, states } = await planned({
      rows: [{ code: 'k-2' }, { code: 'n' }],
      list: ['K-1', 'K-2', 'K-3'],
      known,
    });
    expect(run.get('codesChanged')).toEqual({ name: 'upper case', sent: 'k-1', stored: 'K-1' });
    expect(states).toEqual(['1 existing i-2', '2 pending']);
    expect(plan.refusal).toBeUndefined();
    run.close();
    const broken = await planned({
      rows: [{ code: 'k-2' }],
      list: ['K-1', 'other'],
      known: [
        { id: 'i-1', code: 'k-1' },
        { id: 'i-2', code: 'k-2' },
      ],
    });
    expect(broken.run.get('codesChanged')).toBeUndefined();
    broken.run.close();
    const same = await planned({
      rows: [{ code: 'n' }],
      list: ['K-1'],
      known: [{ id: 'i-1', code: 'K-1' }],
    });
    expect(same.run.get('codesChanged')).toBeUndefined();
    same.run.close();
  });
});

describe('a plan is refused by the first of its reasons', () => {
  const invalid: GivenRow = { state: 'rejected', reason: { code: 'no_code', args: {} } as never };
  it.each<[what: string, scene: Scene, message: string | undefined]>([
    [
      '--max-create',
      { header: { choices: { ...CHOICES, maxCreate: 1 } } },
      '2 rows would be created, more than --max-create 1; nothing was sent',
    ],
    [
      'maxCreate',
      { maxCreate: { count: 1, from: 'maxCreate of live' } },
      '2 rows would be created, more than maxCreate of live (1); nothing was sent',
    ],
    ['an empty file', { rows: [] }, 'a.csv: the file has no rows; nothing was sent'],
    [
      '--strict',
      { rows: [{ code: 'x' }, { code: 'X' }], header: { choices: { ...CHOICES, strict: true } } },
      'the plan has 1 warning (--strict)',
    ],
    [
      '--on-existing fail',
      { list: ['A-1'], header: { choices: { ...CHOICES, onExisting: 'fail' } } },
      '1 row already exists: A-1 (i-1); nothing was sent',
    ],
    ['nothing', { rows: [{}, invalid] }, undefined],
  ])('%s', async (_, scene, message) => {
    const { plan, run } = await planned(scene);
    if (message === undefined) expect(plan.refusal).toBeUndefined();
    else expect(plan.refusal?.message).toContain(message);
    run.close();
  });

  it('two different rows with one code', async () => {
    const rows = [
      { code: 'A', name: 'x' },
      { code: 'A', name: 'y' },
    ];
    await expect(planned({ rows })).rejects.toThrow('1 code appears in several rows');
    const { run, states } = await planned({
      rows,
      header: { choices: { ...CHOICES, onDuplicate: 'last' } },
    });
    expect(states).toEqual(['1 duplicate same_key', '2 pending']);
    run.close();
  });
});

describe('rows of imputations', () => {
  const imputation = (order: string, amount: unknown, more: object = {}): GivenRow => ({
    ...{ code: null, body: JSON.stringify({ orderId: order, amount, ...more }) },
  });
  const orders = (currency?: string) =>
    [
      { id: 'o-1', name: 'PO-1', amount: '100', currency },
      { id: 'o-2', name: 'PO-2', amount: '0.3', currency },
    ] as const;
  const exceeded = async (rows: readonly GivenRow[], currency?: string) => {
    const run = await runOf(rows);
    run.note({ mayExceed: orders(currency) });
    const { ports } = portsOf(shopOf([]));
    const progress = { step() {}, finish() {} };
    const opened = {
      run,
      target: IMPUTATION_IMPORT,
      options: { patienceMs: 1, mayBeUnverified: false },
      progress,
      began: 0,
    };
    const { findings, inList, baseline } = await planRun(opened as never, ports);
    expect([inList, baseline]).toEqual([undefined, 'unproved']);
    const inRows = findingsIn(run);
    run.close();
    return findings.map(({ kind, field, count, samples }) => [
      ...[kind, field, count],
      ...samples.map(({ value }) => value),
      inRows,
    ]);
  };

  it('may exceed their orders together', async () => {
    expect(
      await exceeded([
        imputation('o-1', 60),
        imputation('o-1', 40),
        imputation('o-2', 0.1),
        imputation('o-2', 0.2),
      ]),
    ).toEqual([]);
    expect(await exceeded([imputation('o-1', 60), imputation('o-1', 40.01)])).toEqual([
      [
        ...['exceeded_amounts', 'amount', 1, 'PO-1: 100.01 > 100'],
        ['1 exceeded_amounts PO-1', '2 exceeded_amounts PO-1'],
      ],
    ]);
    expect(
      await exceeded([imputation('o-9', 7), imputation('o-1', 101), imputation('o-2', 1)], 'EUR'),
    ).toEqual([
      [
        ...['exceeded_amounts', 'amount', 2, 'PO-1: 101 > 100 EUR', 'PO-2: 1 > 0.3 EUR'],
        ['2 exceeded_amounts PO-1', '3 exceeded_amounts PO-2'],
      ],
    ]);
  });

  it('count in the currency of the order, and if they are or may be created', async () => {
    expect(
      await exceeded(
        [imputation('o-1', 200, { currency: 'USD' }), imputation('o-1', 50, { currency: 'eur' })],
        'EUR',
      ),
    ).toEqual([]);
    expect(
      await exceeded([imputation('o-1', 60, { currency: 'eur' }), imputation('o-1', 50)], 'EUR'),
    ).toHaveLength(1);
    // The order says no currency: it may be that of its rows.
    expect(await exceeded([imputation('o-1', 150, { currency: 'USD' })])).toHaveLength(1);
    const rest = (state: GivenRow['state']) => ({ ...imputation('o-1', 90), state: state! });
    expect(await exceeded([imputation('o-1', 20), rest('rejected'), rest('duplicate')])).toEqual(
      [],
    );
    for (const state of ['existing', 'unconfirmed'] as const) {
      expect(await exceeded([imputation('o-1', 20), rest(state)])).toHaveLength(1);
    }
    expect(await exceeded([imputation('o-1', '200'), imputation('o-9', 900)])).toEqual([]);
  });
});

describe('items that lines define', () => {
  const line = (code: string | undefined, name: string, more: object = {}) => ({
    item: { code, name },
    ...more,
  });
  const requisition = (...items: readonly object[]): GivenRow => ({
    ...{ code: null, body: JSON.stringify({ title: 't', groups: [{ items }] }) },
  });
  const scene = (rows: readonly GivenRow[], more: Partial<Scene> = {}): Scene => ({
    ...{ rows, target: REQUISITION_IMPORT, list: ['A-1', 'A-2'] },
    header: {
      noun: 'requisition',
      source: { name: 'standard input', format: { kind: 'json' } } as never,
    },
    ...more,
  });

  it('refer to items that exist', async () => {
    const { plan, run, steps, finished } = await planned(
      scene([
        requisition(line('A-1', 'Name 1'), line('new', 'New'), line(undefined, 'no code'), {
          itemId: 'i-2',
        }),
        requisition({ itemId: 'i-1' }),
      ]),
    );
    expect(plan.items).toEqual({
      counts: { lines: 5, referencedItems: 3, newItems: 2, newItemsWithoutCode: 1 },
      isLookedUp: true,
      refusal: undefined,
      findings: [],
    });
    expect(JSON.parse(run.rows.at(1)!.body!).groups[0].items).toEqual([
      { itemId: 'i-1' },
      ...[line('new', 'New'), { item: { name: 'no code' } }, { itemId: 'i-2' }],
    ]);
    expect(run.get('ordersLines')).toBe(true);
    expect([1, 2].map((row) => run.rows.at(row)?.fields != null)).toEqual([true, false]);
    expect(steps[0]).toContain('"step":"plan","count":2');
    expect(finished()).toBe(1);
    run.close();
  });

  it('are checked again before a staged run is sent, which changes no row', async () => {
    const rows = Array.from({ length: 7 }, (_, at) =>
      requisition(line(`N-${at}`, `Name ${at + 1}`)),
    );
    const { run, opened, shop, ports, finished } = await planned(scene(rows, { list: [] }));
    const before = rows.map((_, at) => run.rows.at(at + 1)!.body!);
    const check = () => checkItemsInPlace(opened, ports);
    expect(await check()).toEqual({ count: 0, rows: [], refusal: undefined });
    shop.items.push(
      ...rows.map((_, at) => ({ id: `i-${at}`, code: `N-${at}`, name: `Name ${at + 1}` })),
    );
    expect(await check()).toEqual({ count: 7, rows: [1, 2, 3, 4, 5], refusal: undefined });
    expect(finished()).toBe(3);
    expect(rows.map((_, at) => run.rows.at(at + 1)!.body!)).toEqual(before);
    // An item with the code of one and the name of another: the row would be rejected.
    shop.items.splice(0, 7, { id: 'i-9', code: 'N-2', name: 'Other' });
    expect(await check()).toEqual({ count: 1, rows: [3], refusal: undefined });
    const many = Array.from({ length: 99 }, (_, at) => ({ id: `x-${at}`, code: `X-${at}` }));
    shop.items.push(...(many as never[]));
    Object.assign(shop, { isUnpaged: true });
    const unproved = await check();
    expect(unproved).toMatchObject({ count: 0, rows: [] });
    expect(unproved.refusal).toMatchObject({ code: 'catalogue_unverified' });
    run.close();
    const none = await planned(scene([requisition({ itemId: 'i-1' })]));
    none.shop.log.length = 0;
    expect(await checkItemsInPlace(none.opened, none.ports)).toEqual({
      ...{ count: 0, rows: [], refusal: undefined },
    });
    expect(none.shop.log).toEqual([]);
    none.run.close();
  });

  it('are rejected if the code belongs to another item', async () => {
    const { plan, run, states } = await planned(
      scene([
        requisition(line('A-1', 'Other'), line('A-2', 'Other')),
        requisition(line('A-1', 'Other')),
      ]),
    );
    expect(states).toEqual(['1 rejected items_in_place', '2 rejected items_in_place']);
    const reasons = run.rows.planned
      .samples('rejected', 2)
      .map(({ reason }) => JSON.parse(reason!));
    expect(reasons[0]).toMatchObject({
      field: 'groups[0].items[0].item.code',
      args: { problem: { code: 'item_is_another' } },
      also: [{ code: 'items_in_place' }],
    });
    expect(reasons[1].also).toBeUndefined();
    expect(plan.refusal).toBeUndefined();
    run.close();
    const reference = await planned(
      scene([requisition(line('A-1', 'Other'))], {
        header: {
          noun: 'requisition',
          source: { name: 'a', format: { kind: 'json' } } as never,
          choices: { ...CHOICES, itemsInPlace: 'reference' },
        },
      }),
    );
    expect(JSON.parse(reference.run.rows.at(1)!.body!).groups[0].items).toEqual([
      { itemId: 'i-1' },
    ]);
    reference.run.close();
  });

  it('are twins of others in another spelling', async () => {
    const { plan, run } = await planned(
      scene([
        requisition(line('a-1', 'x')),
        { ...requisition(line('n', 'y')), line: 7 },
        { ...requisition(line('N', 'z')), line: 8 },
      ]),
    );
    expect(plan.findings).toMatchObject([
      {
        ...{ kind: 'twins', field: 'code', count: 2 },
        samples: [
          { value: 'a-1', row: 1, other: { value: 'A-1' } },
          { value: 'N', row: 3, line: 8, other: { value: 'n', row: 2, line: 7 } },
        ],
      },
    ]);
    expect(findingsIn(run)).toEqual(['1 twins a-1', '3 twins N']);
    run.close();
  });

  it('are created first if several lines define them', async () => {
    const { plan, run } = await planned(
      scene([requisition(line('n', 'New')), requisition(line('n', 'New'))]),
    );
    expect(plan.refusal).toMatchObject({ code: 'invalid_input' });
    expect(plan.refusal!.message).toContain('n');
    run.close();
  });

  it('are unclear if the list may be incomplete', async () => {
    const list = Array.from({ length: 100 }, (_, n) => `L-${n}`);
    const { plan, run } = await planned(
      scene([requisition(line('n', 'New')), requisition(line('m', 'New'))], {
        list,
        shop: { isUnpaged: true } as never,
      }),
    );
    expect(plan.refusal).toMatchObject({
      code: 'catalogue_unverified',
      message:
        'the list of items may be incomplete, so proc cannot tell whether 2 items defined in place already exist; nothing was sent',
      hint: 'Detect the parameter names: proc doctor. To use existing items, refer to them by itemId',
    });
    expect(plan.items).toMatchObject({ isLookedUp: true, counts: { newItems: 2 } });
    run.close();
    const one = await planned(
      scene([requisition(line('n', 'New'))], { list, shop: { isUnpaged: true } as never }),
    );
    expect(one.plan.refusal!.message).toContain('whether 1 item defined in place already exists;');
    one.run.close();
  });

  it('are not looked up without a key', async () => {
    const { plan, run, shop } = await planned(
      scene([requisition(line('A-1', 'Name 1'))], { hasKey: false }),
    );
    expect([plan.items?.isLookedUp, plan.items?.counts.newItems, shop.log]).toEqual([false, 1, []]);
    run.close();
    const none = await planned(scene([requisition({ itemId: 'i-1' })], { hasKey: false }));
    expect(none.plan.items?.isLookedUp).toBe(true);
    none.run.close();
  });
});

describe('the plan as a result', () => {
  it('has counts, samples and the refusal', async () => {
    const { plan, run } = await planned({
      rows: [{}, { code: 'x' }, { code: 'X', line: 4 }],
      list: ['A-1'],
      header: { choices: { ...CHOICES, maxCreate: 1 } },
    });
    expect(planRecord(plan, ITEM_IMPORT, 'a.csv', { m: 1 })).toEqual({
      ...{
        dryRun: true,
        source: 'a.csv',
        rows: 3,
        create: 2,
        existing: 1,
        duplicates: 0,
        invalid: 0,
      },
      catalogue: 'complete',
      inList: { codes: 1, rows: 1 },
      samples: {
        create: [
          { row: 2, line: null, code: 'x', reason: null },
          { row: 3, line: 4, code: 'X', reason: null },
        ],
        existing: [{ row: 1, line: null, code: 'A-1', reason: null, id: 'i-1' }],
        duplicates: [],
        invalid: [],
        rows: [],
        fields: [],
      },
      warnings: [
        expect.objectContaining({
          kind: 'twins',
          field: 'code',
          count: 1,
          message: expect.stringContaining('X'),
        }),
      ],
      refused: '2 rows would be created, more than --max-create 1; nothing was sent',
      mapping: { m: 1 },
    });
    run.close();
  });

  it('of imputations says what is unconfirmed', async () => {
    const { plan, run } = await planned({
      rows: [
        { code: null },
        { code: null, state: 'unconfirmed' },
        { code: null, state: 'dropped' },
      ],
      target: IMPUTATION_IMPORT,
    });
    const record = planRecord(plan, IMPUTATION_IMPORT, 'a.csv', {});
    expect(record).toMatchObject({
      unconfirmed: 1,
      dropped: 1,
      samples: { unconfirmed: [{ row: 2 }] },
    });
    expect(record).not.toHaveProperty('catalogue');
    run.close();
  });

  it('fails like an import, and with --exit-code for rejected rows', async () => {
    const rejected: GivenRow = {
      state: 'rejected',
      reason: { code: 'not_number', field: 'price', args: { got: '"x"' } },
    };
    const rows = [{}, rejected, rejected];
    const result = async (scene: Scene) => {
      const { plan, opened, ports } = await planned({ rows, ...scene });
      return planResult(opened, plan, ports);
    };
    expect((await result({})).failure).toBeUndefined();
    expect((await result({ failsIfRejected: true })).failure).toMatchObject({
      code: 'rows_rejected',
      message: '2 of 3 rows would be rejected',
      hint: 'To see all of them, add --plan plan.csv',
      details: { invalid: 2 },
    });
    const refused = { failsIfRejected: true, header: { choices: { ...CHOICES, maxCreate: 0 } } };
    expect((await result(refused)).failure).toMatchObject({
      message: expect.stringContaining('--max-create 0'),
    });
    expect((await result({ rows: [{}], failsIfRejected: true })).failure).toBeUndefined();
    expect((await result({})).columns).toBeUndefined();
    const brief = await result({ interactive: true });
    expect([brief.isBrief, brief.columns?.map(({ key }) => key)]).toEqual([
      true,
      ['dryRun', 'source', 'rows', 'create', 'existing', 'duplicates', 'invalid'],
    ]);
  });

  it('names the plan file, and what is wrong with the end of the file', async () => {
    const { plan, opened, ports, run } = await planned({});
    run.note({ planFile: '/p.csv', fileProblem: { code: 'quote_open', args: {} } });
    const { value } = await planResult(opened, plan, ports);
    expect(value).toMatchObject({ planFile: '/p.csv', fileProblem: expect.stringMatching(/./) });
  });

  it('is said: only what to check, or all of it on a terminal', async () => {
    const scene: Scene = {
      rows: [{ code: 'A', name: 'Bolt' }, { code: 'a' }],
      list: ['A'],
      header: { source: { name: 'a.csv', path: '/a.csv' } as never },
    };
    const quiet = await planned(scene);
    quiet.run.note({ fileProblem: { code: 'quote_open', args: {} } });
    await sayPlan(quiet.opened, quiet.plan, quiet.ports);
    expect(texts(quiet.said)).toEqual([
      expect.stringMatching(/^warning: 1 code matches another code/),
      expect.stringMatching(/^notice: 1 existing row has another name/),
    ]);
    quiet.run.close();
    const loud = await planned({ ...scene, interactive: true });
    loud.run.note({ fileProblem: { code: 'quote_open', args: {} } });
    await sayPlan(loud.opened, loud.plan, loud.ports);
    expect(texts(loud.said)).toEqual([
      expect.stringMatching(/^warning: a\.csv: ./),
      expect.stringMatching(/^notice: a\.csv: 2 rows\n/),
    ]);
    loud.run.close();
  });

  it('is confirmed with the number of rows and of new items', async () => {
    const { plan, opened, run } = await planned({});
    const asked: unknown[] = [];
    const ports = {
      api: { confirm: async (one: unknown) => void asked.push(one) },
      self: { signal: new AbortController().signal },
    };
    await confirmPlan(opened, plan, ports as never);
    expect(asked).toMatchObject([{ weight: 'bulk', what: expect.stringContaining('2 items') }]);
    const aborted = { ...ports, self: { signal: AbortSignal.abort(new Error('ctrl-c')) } };
    await expect(confirmPlan(opened, plan, aborted as never)).rejects.toThrow('ctrl-c');
    run.close();
  });
});
