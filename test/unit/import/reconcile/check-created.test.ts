import { describe, expect, it } from 'vitest';
import { ProcError } from '../../../../src/core/errors.ts';
import { checkCreated } from '../../../../src/import/reconcile/check-created.ts';
import type { Verified } from '../../../../src/import/store/facts.ts';
import { IMPUTATION_IMPORT } from '../../../../src/import/targets/imputation-import.ts';
import { ITEM_IMPORT } from '../../../../src/import/targets/item-import.ts';
import { type GivenRow, portsOf, runOf, type Shop, shopOf } from '../run-of.ts';

const created = (code: string, id: string): GivenRow => ({ state: 'created', code, id, sentAt: 1 });

interface Scene {
  readonly rows: readonly GivenRow[];
  readonly list: readonly (string | null)[];
  /** How many of the records existed before the run: the first ones of the list. */
  readonly before?: number;
  readonly baseline?: 'complete' | 'searched';
  readonly settleMs?: number;
  readonly shop?: Partial<Shop>;
  /** Called in each pause. */
  readonly during?: (shop: Shop, pause: number) => void;
  readonly target?: typeof ITEM_IMPORT;
  readonly holders?: Readonly<Record<string, string>>;
}

async function checked(scene: Scene) {
  const { rows, list, before = 0, settleMs = 0, target = ITEM_IMPORT, holders = {} } = scene;
  const run = await runOf(rows);
  const shop: Shop = { ...shopOf(list), ...scene.shop };
  run.commit(() => run.rows.catalogue.add(shop.items.slice(0, before) as never));
  run.note({ baseline: scene.baseline ?? 'complete' });
  const { ports, said } = portsOf(shop);
  const given = ports as unknown as Record<string, Record<string, unknown>>;
  const pauses: number[] = [];
  given.self!.clock = {
    ...{ now: () => 0, monotonic: () => 0, random: () => 0 },
    sleep: async (ms: number) => {
      pauses.push(ms);
      scene.during?.(shop, pauses.length);
    },
  };
  given.store!.open = async () => ({
    sentRows: () => ({
      creators: async (_: string, ids: readonly string[]) =>
        ids.flatMap((id) => (holders[id] === undefined ? [] : [{ id, run: holders[id], row: 7 }])),
    }),
    creatorOf: () => undefined,
  });
  let finished = 0;
  const opened = {
    ...{ run, target, options: { settleMs, patienceMs: 1 } },
    progress: { step() {}, finish: () => void finished++ },
  } as never;
  const stop = await checkCreated(opened, ports);
  const verified = run.get('verified') as Verified | undefined;
  run.close();
  return { stop, verified, said: said.map(({ text }) => text), pauses, finished, log: shop.log };
}

const SHOWN = { isComplete: true, twice: 0, named: [] };

describe('after rows were created, the list', () => {
  it('is not read without a created row, or if there is none', async () => {
    for (const scene of [
      { rows: [{}], list: [] },
      { rows: [created('A', 'i-1')], list: ['A'], target: IMPUTATION_IMPORT },
    ]) {
      expect(await checked(scene)).toMatchObject({ verified: undefined, log: [], finished: 0 });
    }
  });

  it('shows each of them', async () => {
    const rows = [created('A', 'i-1'), created('B', 'i-2')];
    expect(await checked({ rows, list: ['A', 'B'] })).toMatchObject({
      ...{ stop: undefined, verified: SHOWN, said: [], pauses: [], finished: 1 },
    });
  });

  it('is read only at its end if it has grown by exactly these rows', async () => {
    const list = Array.from({ length: 150 }, (_, n) => `L-${1_000 + n}`);
    const rows = [created('Z-1', 'i-151'), created('Z-2', 'i-152')];
    const scene = { rows, list: [...list, 'Z-1', 'Z-2'], before: 150 };
    expect(await checked(scene)).toMatchObject({
      verified: SHOWN,
      finished: 1,
      log: ['100+100 code asc', '152+100 code asc', '150+100', '151+100', '152+100'],
    });
    const whole = async (other: Partial<Scene>) => {
      const { verified, log } = await checked({ ...scene, ...other });
      return [verified?.isComplete, log.includes('0+100 code asc')];
    };
    // New rows are not at the end, others created one, or not all is known.
    expect(
      await whole({
        list: ['Z-1', 'Z-2', ...list],
        rows: [created('Z-1', 'i-1'), created('Z-2', 'i-2')],
      }),
    ).toEqual([true, true]);
    expect(await whole({ list: [...list, 'Z-1', 'Z-2', 'Z-3'] })).toEqual([true, true]);
    expect(await whole({ baseline: 'searched' })).toEqual([true, true]);
    expect(
      await whole({ rows: [...rows, { state: 'unconfirmed', code: 'U', sentAt: 1 }] }),
    ).toEqual([true, true]);
    expect(await whole({ rows: [...rows, { state: 'sending', code: 'U', sentAt: 1 }] })).toEqual([
      true,
      true,
    ]);
  });

  it('is read only at its end also if it had few records before, or none', async () => {
    const list = Array.from({ length: 99 }, (_, n) => `L-${1_000 + n}`);
    const rows = [created('Z-1', 'i-100'), created('Z-2', 'i-101')];
    const few = await checked({ rows, list: [...list, 'Z-1', 'Z-2'], before: 99 });
    expect(few).toMatchObject({ verified: SHOWN, finished: 1 });
    expect(few.log).not.toContain('0+100 code asc');
    const many = Array.from({ length: 250 }, (_, n) => `L-${1_000 + n}`);
    const all = many.map((code, n) => created(code, `i-${n + 1}`));
    const whole = await checked({ rows: all, list: many });
    expect(whole).toMatchObject({ verified: SHOWN, finished: 1 });
    expect(whole.log.slice(0, 5)).toEqual([
      ...['200+100 code asc', '250+100 code asc', '0+100', '100+100', '200+100'],
    ]);
    // Somebody else has created one meanwhile: all ids are compared.
    const other = await checked({ rows: all, list: [...many, 'X'] });
    expect(other).toMatchObject({ verified: SHOWN, finished: 1 });
    expect(other.log).toContain('0+100 code asc');
  });

  it('may show them late', async () => {
    const rows = [created('A', 'i-1'), created('B', 'i-2')];
    const late = (when: number) => (shop: Shop, pause: number) => {
      if (pause === when) shop.items.push({ id: 'i-2', code: 'B', name: 'n' });
    };
    expect(await checked({ rows, list: ['A'], settleMs: 9_000, during: late(3) })).toMatchObject({
      verified: SHOWN,
      pauses: [1_000, 2_000, 4_000],
      finished: 1,
    });
    const hidden = {
      isComplete: false,
      hidden: 1,
      notListed: [{ code: 'B', id: 'i-2' }],
      twice: 0,
    };
    expect(await checked({ rows, list: ['A'], settleMs: 9_000 })).toMatchObject({
      verified: hidden,
      pauses: [1_000, 2_000, 4_000, 8_000],
      finished: 0,
      said: [],
    });
    expect((await checked({ rows, list: ['A'], settleMs: 300 })).pauses).toEqual([300]);
    expect((await checked({ rows, list: ['A'], settleMs: 0 })).pauses).toEqual([]);
    expect((await checked({ rows, list: ['A'], settleMs: 3_000 })).pauses).toEqual([1_000, 2_000]);
  });

  it('has their codes twice, because of others or of this machine', async () => {
    const rows = [created('A', 'i-1'), created('B', 'i-2')];
    const list = ['A', 'B', 'A', 'B'];
    expect(await checked({ rows, list })).toMatchObject({
      verified: {
        isComplete: true,
        twice: 2,
        named: [
          { code: 'A', ids: ['i-1', 'i-3'] },
          { code: 'B', ids: ['i-2', 'i-4'] },
        ],
      },
      finished: 0,
      said: [],
    });
    expect((await checked({ rows, list })).verified).not.toHaveProperty('twiceHere');
    expect((await checked({ rows, list, holders: { 'i-3': 'Q' } })).verified).toMatchObject({
      twice: 2,
      twiceHere: 1,
    });
    expect(
      (await checked({ rows, list: [...list, 'A'], holders: { 'i-3': 'Q' } })).verified,
    ).not.toHaveProperty('twiceHere');
  });

  it('is searched if it is long', async () => {
    const list = Array.from(
      { length: 30_000 },
      (_, n) => `L-${String(30_000 - n).padStart(5, '0')}`,
    );
    const { verified, log } = await checked({
      rows: [created('L-00001', 'i-30000')],
      list,
      baseline: 'searched',
    });
    expect(verified).toEqual(SHOWN);
    expect(log.length).toBeLessThan(150);
    const missing = await checked({ rows: [created('L-00001', 'x')], list, baseline: 'searched' });
    expect(missing.verified).toMatchObject({ hidden: 1, isComplete: false });
  });

  it('may be incomplete', async () => {
    const list = Array.from({ length: 100 }, (_, n) => `L-${n}`);
    expect(
      await checked({ rows: [created('L-1', 'i-2')], list, shop: { isUnpaged: true } }),
    ).toMatchObject({
      verified: { isComplete: false, twice: 0 },
      said: [
        expect.stringMatching(
          /^the list of items may be incomplete, so proc cannot tell whether the same codes were also created elsewhere/,
        ),
      ],
      finished: 0,
    });
  });

  it('may not be readable', async () => {
    const failing = (error: Error) => ({
      before: () => {
        throw error;
      },
    });
    const rows = [created('A', 'i-1')];
    expect(
      await checked({
        rows,
        list: ['A'],
        shop: failing(new ProcError('unreachable', 'no service')),
      }),
    ).toMatchObject({
      verified: { isComplete: false, twice: 0, named: [] },
      said: [
        'cannot verify the created rows: no service',
        expect.stringMatching(/may be incomplete/),
      ],
    });
    await expect(
      checked({ rows, list: ['A'], shop: failing(new TypeError('oops')) }),
    ).rejects.toThrow('oops');
  });
});
