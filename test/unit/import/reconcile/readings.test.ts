import { describe, expect, it } from 'vitest';
import { seenAfter } from '../../../../src/import/reconcile/seen-after.ts';
import { type WantedKey, wholeReading } from '../../../../src/import/reconcile/whole-reading.ts';
import {
  areShown,
  covers,
  formOf,
  formsFor,
  witnessesAmong,
} from '../../../../src/import/reconcile/witnesses.ts';
import { Search } from '../../../../src/listing/search.ts';
import { type GivenRow, listOf, runOf, shopOf } from '../run-of.ts';

describe('the form of a code', () => {
  it.each([
    ['AB-27', 'AA-99'],
    ['ab-27', 'aa-99'],
    ['7', '9'],
    ['007', '9990'],
    ['0', '9'],
    ['AB-07', 'AA-990'],
    ['07-AB', '99-AA0'],
    ['A0', 'A9'],
    ['A10', 'A99'],
    ['A0.5', 'A9.9'],
    ['1.50', '9.990'],
    ['1.5', '9.9'],
    ['1e5', '9a90'],
    ['1E5', '9A90'],
    ['+5', '+90'],
    ['-5', '-9'],
    ['Ñ-1', 'Ñ-9'],
    ['1e', '9a'],
    ['x1e5', 'a9a9'],
    ['', ''],
  ])('%s: %s', (code, form) => expect(formOf(code)).toBe(form));

  it('is covered by itself, and by the same form with digits that could change', () => {
    expect(formsFor('A9')).toEqual(['A9', 'A90']);
    expect(covers(new Set(['A9']), 'A9')).toBe(true);
    expect(covers(new Set(['A90']), 'A9')).toBe(true);
    expect(covers(new Set(['A9']), 'A90')).toBe(false);
    expect(covers(new Set(['B9']), 'A9')).toBe(false);
  });
});

describe('witnesses', () => {
  const created = (...keys: string[]) => keys.map((key) => ({ key, id: `id ${key}` }));
  const chosen = (all: readonly string[], codes: readonly string[]) => {
    const { rows, forms } = witnessesAmong(created(...all), codes);
    return [rows.map(({ key }) => key), [...forms]];
  };

  it('are one created row for each form that is looked up', () => {
    expect(chosen(['B-1', 'A1', 'A2', 'C'], ['A7', 'A8'])).toEqual([['A1'], ['A9']]);
    expect(chosen(['A1', 'B-1'], ['A7', 'B-9', 'z'])).toEqual([
      ['A1', 'B-1'],
      ['A9', 'A-9'],
    ]);
    expect(chosen(['A01'], ['A77'])).toEqual([['A01'], ['A990']]);
    expect(chosen(['A77'], ['A01'])).toEqual([[], []]);
    expect(chosen([], ['A77'])).toEqual([[], []]);
  });

  it('are at most six', () => {
    const codes = ['A', 'AA', 'AAA', 'AAAA', 'AAAAA', 'AAAAAA', 'AAAAAAA'];
    expect(chosen(codes, codes)[0]).toEqual(codes.slice(0, 6));
  });

  it('are shown if a search finds each of them under its id', async () => {
    const search = new Search(listOf(shopOf(['A-1', 'A-2', 'A-3'])));
    const shown = (...rows: [string, string][]) =>
      areShown(
        rows.map(([key, id]) => ({ key, id })),
        search,
      );
    expect(await shown(['A-1', 'i-1'], ['A-3', 'i-3'])).toBe(true);
    expect(await shown(['A-1', 'i-1'], ['A-3', 'i-2'])).toBe(false);
    expect(await shown(['A-9', 'i-1'])).toBe(false);
    expect(await shown()).toBe(false);
    const unsorted = { ...shopOf(['A-1', 'A-3', 'A-2']), isUnsorted: true };
    const unproved = await areShown([{ key: 'A-1', id: 'i-1' }], new Search(listOf(unsorted)));
    expect(unproved).toBe(false);
  });
});

const SENT = 1_000;
const row = (state: GivenRow['state'], code: string | null, more: GivenRow = {}): GivenRow => ({
  ...{ state: state!, code, sentAt: SENT },
  ...more,
});
const listed = (id: string | undefined, code: string | null, name: string | null = null) => ({
  ...{ id, code, name },
});
const key = (value: string, of: WantedKey['key'] = 'code'): WantedKey => ({ key: of, value });

describe('one reading of the whole list', () => {
  const reading = async (
    rows: readonly GivenRow[],
    wanted: readonly WantedKey[],
    { before = [], baseline = 'complete', until = SENT }: Partial<Setting> = {},
  ) => {
    const run = await runOf(rows);
    run.commit(() => run.rows.catalogue.add(before));
    run.note({ baseline });
    return wholeReading(run, wanted, until);
  };
  interface Setting {
    readonly before: readonly ReturnType<typeof listed>[];
    readonly baseline: 'complete' | 'searched' | 'unproved';
    readonly until: number;
  }

  it('finds all ids of a key, each once', async () => {
    const read = await reading([row('unconfirmed', 'A-1')], [key('A-1'), key('Bolt', 'name')]);
    read.add([listed('1', 'A-1'), listed('2', 'A-2'), listed(undefined, 'A-1')]);
    read.add([listed('1', 'A-1'), listed('3', 'A-1'), listed('4', null, 'Bolt')]);
    read.add([listed('5', '', 'Bolt'), listed('6', 'Bolt', 'A-1')]);
    expect(read.idsOf(key('A-1'))).toEqual(['1', '3']);
    expect(read.idsOf(key('Bolt', 'name'))).toEqual(['4', '5']);
    expect(read.idsOf(key('A-2'))).toEqual([]);
  });

  it('is doubted while a created row is missing, unless it was sent too late', async () => {
    const rows = [
      row('created', 'B-1', { id: 'b-1' }),
      row('created', 'B-2', { id: 'b-2' }),
      row('unconfirmed', 'A-1'),
    ];
    const missing = await reading(rows, [key('A-1')]);
    missing.add([listed('b-1', 'B-1')]);
    expect(missing.doubt(key('A-1'))).toEqual({
      code: 'created_missing',
      args: { count: 1, key: 'code', rows: [{ key: 'B-2', id: 'b-2' }] },
    });
    // The verdict on a key is made once.
    missing.add([listed('b-2', 'B-2')]);
    expect(missing.doubt(key('A-1'))).toMatchObject({ code: 'created_missing' });
    expect(missing.doubt(key('A-1', 'name'))).toBeUndefined();
    const late = await reading(rows, [key('A-1')], { until: SENT - 1 });
    expect(late.doubt(key('A-1'))).toBeUndefined();
  });

  it('proves the absence of codes of the forms that it shows unchanged', async () => {
    const rows = [row('created', 'B-1', { id: 'b-1' }), row('unconfirmed', 'A-1')];
    const wanted = [key('A-1'), key('A-01'), key('xyz')];
    const read = await reading(rows, wanted);
    read.add([listed('b-1', 'B-1'), listed('s', 'stranger')]);
    expect(read.doubt(key('A-1'))).toBeUndefined();
    const strangers = { code: 'strangers', args: { count: 1, ids: ['s'] } };
    expect(read.doubt(key('A-01'))).toEqual(strangers);
    expect(read.doubt(key('xyz'))).toEqual(strangers);
    expect(read.doubt(key('xyz', 'name'))).toEqual(strangers);
    expect(read.hasChanged('code')).toBe(false);
  });

  it('knows which records are no strangers', async () => {
    const rows = [
      row('unconfirmed', 'A-1'),
      row('unconfirmed', 'A-2'),
      row('unconfirmed', null, { name: 'N' }),
    ];
    const read = await reading(rows, [key('A-1')], { before: [listed('old', 'OLD')] });
    read.add([
      listed('old', 'OLD'),
      listed('1', 'A-1'),
      listed('2', 'A-2'),
      listed('n', null, 'N'),
    ]);
    expect(read.doubt(key('zzz'))).toBeUndefined();
  });

  it('sees that the service changes codes', async () => {
    const rows = [row('created', 'b-1', { id: 'b-1' }), row('unconfirmed', 'a-1')];
    const read = await reading(rows, [key('a-1')]);
    read.add([listed('b-1', 'B-1')]);
    expect(read.hasChanged('code')).toBe(true);
    expect(read.hasChanged('name')).toBe(false);
  });

  it('finds codes as the service stores them, and names as they were sent', async () => {
    const rows = [row('unconfirmed', 'a-1'), row('unconfirmed', null, { name: 'bolt' })];
    const run = await runOf(rows);
    run.note({ baseline: 'complete', codesChanged: { name: 'upper case' } as never });
    const read = wholeReading(run, [key('a-1'), key('bolt', 'name')], SENT);
    read.add([listed('1', 'A-1'), listed('2', 'a-1'), listed('3', null, 'bolt')]);
    read.add([listed('4', null, 'BOLT')]);
    expect(read.idsOf(key('a-1'))).toEqual(['1']);
    expect(read.idsOf(key('bolt', 'name'))).toEqual(['3']);
  });

  it('looks for similar keys where not all earlier records are known', async () => {
    const rows = [row('unconfirmed', 'A-1'), row('unconfirmed', null, { name: 'Bolt' })];
    const wanted = [key('A-1'), key('Bolt', 'name'), key('Z-9')];
    const searched = { baseline: 'searched', before: [listed('old', 'a-1')] } as const;
    const read = await reading(rows, wanted, searched);
    read.add([
      listed('old', 'a-1'),
      listed('x', 'other', 'BOLT'),
      listed('2', 'a 1'),
      listed('3', 'a1'),
    ]);
    expect(read.doubt(key('A-1'))).toEqual({
      code: 'similar_key',
      args: { key: 'code', record: { key: 'a 1', id: '2' } },
    });
    expect(read.doubt(key('Bolt', 'name'))).toEqual({
      code: 'similar_key',
      args: { key: 'name', record: { key: 'BOLT', id: 'x' } },
    });
    expect(read.doubt(key('Z-9'))).toBeUndefined();
  });
});

describe('the list after a run', () => {
  const seen = async (
    rows: readonly GivenRow[],
    before: readonly ReturnType<typeof listed>[] = [],
  ) => {
    const run = await runOf(rows);
    run.commit(() => run.rows.catalogue.add(before));
    return seenAfter(run);
  };
  const OURS = [row('created', 'A', { id: 'a' }), row('created', null, { id: 'n', name: 'N' })];

  it('shows all created rows', async () => {
    const found = await seen(OURS);
    expect(found.add([listed('a', 'A'), listed('n', '', 'N')])).toBe(true);
    expect(found.verdict(true)).toEqual({ isComplete: true, twice: 0, named: [] });
    expect(found.verdict(false)).toEqual({ isComplete: false, twice: 0, named: [] });
    expect(found.add([])).toBe(true);
    expect(found.add([listed('a', 'A'), listed('x', 'X')])).toBe(false);
    expect(found.add([listed(undefined, 'A')])).toBe(false);
    expect(found.add([listed('x', null, null)])).toBe(false);
  });

  it('lacks created rows', async () => {
    const found = await seen(OURS);
    found.add([listed('a', 'A')]);
    const notListed = [{ code: 'N', id: 'n' }];
    const lacking = { isComplete: false, twice: 0, named: [], hidden: 1, notListed };
    expect(found.verdict(true)).toEqual({ ...lacking, byName: true });
    const other = await seen(OURS);
    other.add([listed('n', null, 'N')]);
    expect(other.verdict(true)).toEqual({ ...lacking, notListed: [{ code: 'A', id: 'a' }] });
    expect(other.verdict(false)).toEqual({ isComplete: false, twice: 0, named: [] });
  });

  it('has records of others with the codes and names of created rows', async () => {
    const found = await seen(OURS, [listed('old', 'A')]);
    found.add([listed('old', 'A'), listed('a', 'A'), listed('x', 'A'), listed('x', 'A')]);
    found.add([listed('y', 'A'), listed('n', null, 'N')]);
    expect(found.duplicates()).toEqual([
      { key: 'code', value: 'A', ours: ['a'], others: ['x', 'y'] },
    ]);
    expect(found.verdict(true)).toEqual({
      ...{ isComplete: true, twice: 1 },
      named: [{ code: 'A', ids: ['a', 'x', 'y'] }],
    });
    found.add([listed('z', null, 'N')]);
    expect(found.verdict(true)).toMatchObject({ twice: 2, byName: true });
  });

  it('may show a created row under another id, or the record of an unconfirmed row', async () => {
    const other = await seen(OURS);
    other.add([listed('x', 'A')]);
    expect(other.duplicates()).toEqual([]);
    other.add([listed('y', 'A')]);
    expect(other.duplicates()).toHaveLength(1);
    const doubtful = await seen([
      ...OURS,
      row('unconfirmed', 'A'),
      row('rejected', 'A', { status: 409 }),
    ]);
    doubtful.add([listed('a', 'A'), listed('x', 'A')]);
    expect(doubtful.duplicates()).toEqual([]);
    doubtful.add([listed('y', 'A')]);
    expect(doubtful.duplicates()).toHaveLength(1);
  });

  it('has rows that were rejected, the first ten', async () => {
    const codes = Array.from({ length: 12 }, (_, n) => `R-${n}`);
    const found = await seen([
      ...codes.map((code) => row('rejected', code)),
      row('rejected', 'unsent', { sentAt: null }),
    ]);
    found.add([listed('u', 'unsent'), listed('n', null, 'R-1'), listed('f', 'free')]);
    expect(found.verdict(true)).not.toHaveProperty('refused');
    found.add(codes.map((code) => listed(`id ${code}`, code)));
    expect(found.verdict(true).refused).toEqual(
      codes.slice(0, 10).map((code) => ({ code, id: `id ${code}` })),
    );
  });
});
