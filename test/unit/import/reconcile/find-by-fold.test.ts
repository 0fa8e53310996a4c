import { describe, expect, test } from 'vitest';
import { DEFAULT_DIALECT } from '../../../../src/config/settings.ts';
import { ProcError } from '../../../../src/core/errors.ts';
import { foldCode } from '../../../../src/core/fold-code.ts';
import { findByFold, finderFor } from '../../../../src/import/reconcile/find-by-fold.ts';
import { ITEM_IMPORT } from '../../../../src/import/targets/all-targets.ts';
import { Listing } from '../../../../src/listing/listing.ts';
import { ITEMS, newLedger, rowOf } from '../../ledger/one-database.ts';

const MANY = Array.from({ length: 12_000 }, (_, at) => `A-${String(at).padStart(5, '0')}`);

/** A service of items, with the requests that arrived. */
function shopOf(codes: readonly string[]) {
  const items = codes.map((code, at) => ({ id: `i-${at + 1}`, code, name: `Name ${at + 1}` }));
  return { items, log: [] as string[] };
}
type Shop = ReturnType<typeof shopOf>;

const idOf = ({ items }: Shop, wanted: string) =>
  String(items.find(({ code }) => code === wanted)?.id);

/** The list of items of a shop, in memory, sorted by code if a request asks for it. */
function listOf({ items, log }: Shop, refusesBeyond = false): Listing {
  const sorted = items.toSorted((a, b) => (a.code < b.code ? -1 : 1));
  return new Listing(ITEM_IMPORT, {
    target: { dialect: () => DEFAULT_DIALECT },
    async read(_, { limit = 20, offset = 0, sort, dir }) {
      log.push(`${offset}+${limit}`);
      if (refusesBeyond && Number(offset) > items.length) throw new ProcError('refused', 'no');
      const ordered = dir === 'desc' ? sorted.toReversed() : sorted;
      return (sort === undefined ? items : ordered).slice(
        Number(offset),
        Number(offset) + Number(limit),
      );
    },
  });
}

test('codes are compared by one form', () => {
  expect(foldCode(' Ab\u2013 1\u00a0 ')).toBe('ab- 1');
  expect(foldCode('ﬁ-1')).toBe('fi-1');
  expect(foldCode('A_1/2')).toBe('a_1/2');
});

describe('a code is looked up', () => {
  test('by search in a long list, also in other cases', async () => {
    const shop = shopOf([...MANY, 'B-1', 'b-2', 'W-1'].sort().reverse());
    const witness = { code: 'W-1', id: idOf(shop, 'W-1') };
    const found = await findByFold(listOf(shop), ['B-2', 'b-1', 'B-3'], witness);
    expect(found.get('b-3')).toBeNull();
    expect([found.get('b-1'), found.get('b-2')]).toEqual(
      ['B-1', 'b-2'].map((code) => idOf(shop, code)),
    );
    expect(shop.log.length).toBeLessThan(400);
  });

  test('in the whole list, if a search does not find the witness', async () => {
    const shop = shopOf([...MANY, 'b–1']);
    const found = await findByFold(listOf(shop), ['B-1', 'B-2'], { code: 'W-1', id: 'i-9' });
    expect([...found]).toEqual([['b-1', 'i-12001']]);
  });

  test('in the whole list, if the code has other characters', async () => {
    const shop = shopOf(['Ä 1', 'W-1']);
    const found = await findByFold(listOf(shop), ['ä  1', 'ö'], { code: 'W-1', id: 'i-2' });
    expect([...found]).toEqual([
      ['ä 1', 'i-1'],
      ['ö', null],
    ]);
  });

  test('in the whole list, if the service refuses offsets beyond its end', async () => {
    const shop = shopOf(['A-1', 'W-1', ...MANY.slice(0, 250)]);
    const list = listOf(shop, true);
    const found = await findByFold(list, ['a-1', 'B-1'], { code: 'W-1', id: 'i-2' });
    expect([...found]).toEqual([
      ['a-1', 'i-1'],
      ['b-1', null],
    ]);
  });

  test('before the run has created a row', async () => {
    expect([...(await findByFold(listOf(shopOf(['A'])), ['B'], undefined))]).toEqual([['b', null]]);
  });
});

test('rows of a run are looked up by their keys, with the last created one as a witness', async () => {
  const at = newLedger(ITEMS);
  await at.runs.open();
  const claim = await at.runs.create({ name: 'r', header: {}, planned: 0, now: 1 });
  const rows = ['W-1', 'B 1', 'b2'].map((code, index) =>
    rowOf(index + 1, foldCode(code), null, { code }),
  );
  await at.runs.fill(claim!, rows);
  await at.runs.begin(claim!);
  const { claim: sent } = (await at.runs.batch(claim!, {
    outcomes: [],
    most: 9,
    after: 0,
    now: 2,
  }))!;
  const outcomes = [{ row: 1, intent: sent.lastIntent, state: 'created' as const, id: 'i-2' }];
  await at.runs.batch(sent, { outcomes, most: 0, after: 0, now: 3 });
  const codeIn = (body: string) => String((JSON.parse(body) as { code: string }).code);
  const listing = () => listOf(shopOf(['b  1', 'W-1']));
  const find = finderFor(at.runs, claim!.number, listing, codeIn);
  expect([...(await find(['b 1', 'b2'], true))]).toEqual([
    ['b 1', 'i-1'],
    ['b2', null],
  ]);
});
