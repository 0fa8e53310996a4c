import { describe, expect, it } from 'vitest';
import { scan } from '../../../src/listing/scan.ts';
import { Search } from '../../../src/listing/search.ts';
import { atNight } from '../../support/at-night.ts';
import { startTestSandbox } from '../../support/sandbox.ts';
import { each, itemsOf } from './service.ts';

function codesOf(count: number): string[] {
  const shapes = [
    (n: number) => `FR-R${n}B-${n % 60}`,
    (n: number) => `fr_r${n}`,
    (n: number) => `Ñandú ${n}`,
    (n: number) => `${n}`,
    (n: number) => `ab.${n}/c`,
    (n: number) => `AB${String(n).padStart(6, '0')}`,
    (n: number) => `é-${n}`,
    (n: number) => `Zz ${n} #x`,
  ];
  return [...Array(count).keys()].map((n) => shapes[n % shapes.length]!(n));
}

/** The same elements in random order, so the list looks unsorted. */
function shuffled<T>(all: readonly T[]): T[] {
  let state = 7;
  return [...all].sort(() => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 1_073_741_824 - 1;
  });
}

describe('looking up codes while others are created', () => {
  it.each([
    ['without case', 'collation=nocase'],
    ...(atNight
      ? [
          ['bytes', ''],
          ['without case and accents', 'collation=unaccented'],
        ]
      : []),
  ])('sorted by %s: never wrongly absent, never wrongly found', async (_, habits) => {
    const sandbox = await startTestSandbox({ empty: true, habits });
    await using items = itemsOf(sandbox);
    const codes = shuffled(codesOf(atNight ? 440 : 180));
    const there = codes.slice(0, atNight ? 300 : 130);
    const coming = codes.slice(there.length, -20);
    const never = codes.slice(-20);
    const asked = there.slice(0, atNight ? 80 : 16);
    items.stock(there);
    const search = new Search(items.listing());
    expect(await search.isUsable()).toBe(true);
    const wrong: string[] = [];
    const unproved: string[] = [];
    const inserting = each(coming, 2, items.create);
    await Promise.all([
      inserting,
      each(asked, 3, async (code) => {
        const found = await search.find(code);
        if (found === undefined) unproved.push(code);
        else if (found.size !== 1) wrong.push(`${code} is there`);
      }),
      each(never, 1, async (code) => {
        const found = await search.find(code);
        if (found === undefined) unproved.push(code);
        else if (found.size > 0) wrong.push(`${code} is not there`);
      }),
    ]);
    expect(wrong).toEqual([]);
    // Without a proof, proc reads the whole list. This must be rare.
    expect(unproved.length).toBeLessThan(15);
  });
});

describe('an unreliable list proves nothing', () => {
  it('a list that ignores limit and offset', async () => {
    const sandbox = await startTestSandbox({ empty: true, dialect: 'limit=max,offset=from' });
    await using items = itemsOf(sandbox);
    items.stock(codesOf(60));
    expect(await new Search(items.listing()).find('zzz')).toBeUndefined();
    expect(await scan(items.listing(), () => undefined)).toBe(false);
  });

  it('a list that ignores the sort', async () => {
    const sandbox = await startTestSandbox({ empty: true, dialect: 'sort=by,dir=way' });
    await using items = itemsOf(sandbox);
    // Created in the order of their codes, so the list looks sorted.
    items.stock([...Array(250).keys()].map((n) => `S-${1000 + n}`));
    expect(await new Search(items.listing()).isUsable()).toBe(false);
    await items.create('S-0001');
    expect(await new Search(items.listing()).isUsable()).toBe(false);
  });
});

describe('reading the whole list', () => {
  it.each([
    ['offsets', '', {}, [0, 1, 100, 101]],
    ['pages from 1', 'page=page', { page: 'page' }, [100, 101]],
    ['pages from 0', 'page=p,pageBase=0', { page: 'p', pageBase: 0 }, [250]],
  ])('by %s: every row, and a verified end', async (_, theirs, ours, counts) => {
    for (const count of counts) {
      const sandbox = await startTestSandbox({ empty: true, dialect: theirs });
      await using items = itemsOf(sandbox, ours);
      items.stock(codesOf(count));
      const ids = new Set<string | undefined>();
      const isComplete = await scan(items.listing(), (rows) => {
        for (const { id } of rows) ids.add(id);
      });
      expect([count, isComplete, ids.size]).toEqual([count, true, count]);
    }
  });

  it('while others are created: every row that was there before', async () => {
    const sandbox = await startTestSandbox({ empty: true });
    await using items = itemsOf(sandbox);
    const codes = shuffled(codesOf(400));
    items.stock(codes.slice(0, 250));
    const seen = new Set<string | null>();
    const inserting = each(codes.slice(250), 4, items.create);
    const isComplete = await scan(items.listing(), (rows) => {
      for (const { code } of rows) seen.add(code);
    });
    await inserting;
    expect(isComplete).toBe(true);
    expect(codes.slice(0, 250).filter((code) => !seen.has(code))).toEqual([]);
  });

  it('searches by numbered pages too', async () => {
    const sandbox = await startTestSandbox({ empty: true, dialect: 'page=page' });
    await using items = itemsOf(sandbox, { page: 'page' });
    const codes = shuffled(codesOf(260));
    items.stock(codes.slice(0, 250));
    const search = new Search(items.listing());
    for (const code of codes.slice(0, 10))
      expect([code, (await search.find(code))?.size]).toEqual([code, 1]);
    for (const code of codes.slice(250))
      expect([code, (await search.find(code))?.size]).toEqual([code, 0]);
  });
});
