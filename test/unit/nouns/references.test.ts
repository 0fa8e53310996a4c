import { describe, expect, it } from 'vitest';
import { ProcError } from '../../../src/core/errors.ts';
import { foldCode } from '../../../src/core/fold-code.ts';
import { rawNumber, textOf } from '../../../src/core/numbers.ts';
import type { Row } from '../../../src/core/result.ts';
import { listItems } from '../../../src/nouns/items/index.ts';
import { listOrders } from '../../../src/nouns/orders/index.ts';
import { listSectors } from '../../../src/nouns/sectors/index.ts';
import { lookUp } from '../../../src/nouns/shared/references.ts';

const LISTS = { order: listOrders, item: listItems, sector: listSectors } as const;

const ITEMS: readonly Row[] = [
  { id: 'i1', code: 'A-1', name: 'Bolt' },
  { id: 'i2', code: 'A-2', name: 'Nut' },
  { id: 'A-2', code: 'i1', name: 'Washer' },
  { id: 'i4', code: 'D', name: 'Nut' },
  { id: 5, code: 7, name: null },
  { id: 'i6', code: 'D', name: 'Other' },
];
const SECTORS: readonly Row[] = [
  { id: 's1', key: 'IT', name: 'Systems' },
  { id: 's2', key: 'it', name: 'systems' },
  { id: 's3', key: 'OPS', name: 'Ñandú' },
];

interface List {
  readonly rows: readonly Row[];
  /** The end of the list is verified. */
  readonly isWhole: boolean;
}

/** A list that finds the codes, but may not tell that there are no other rows. */
function sourceOf({ rows, isWhole }: List) {
  async function* pages() {
    yield rows;
  }
  return {
    pages: () => ({
      rows: pages(),
      complete: () => isWhole,
      isCut: () => false,
      failure: () => undefined,
    }),
    async find(
      _: unknown,
      codes: Iterable<string>,
      onRows: (rows: readonly Row[]) => void = () => undefined,
    ) {
      const wanted = new Set([...codes].map(foldCode));
      const found = rows.filter(({ code }) => wanted.has(foldCode(textOf(code) ?? '')));
      onRows(found);
      return { rows: found, isProved: isWhole, isWhole: false };
    },
  };
}

type Options = Parameters<typeof lookUp>[3];

/** The id of the record that is meant; otherwise the error code, and the ids of the candidates. */
async function meant(
  kind: keyof typeof LISTS,
  typed: string,
  list: List,
  options: Options = { needsFields: true },
): Promise<string> {
  const found = (await lookUp(LISTS[kind], [typed], sourceOf(list), options))(typed);
  if (!(found instanceof ProcError)) return String(textOf(found.id));
  const { candidates = [] } = (found.details ?? {}) as { readonly candidates?: readonly Row[] };
  const ids = candidates.map(({ id }) => String(id)).sort();
  return [found.code, ...ids].join(' ');
}

describe('what a reference means', () => {
  it.each([
    // A bare word may match any field of any row, so an incomplete list proves nothing.
    ['item', 'A-1', 'i1', 'incomplete i1'],
    ['item', 'Bolt', 'i1', 'incomplete i1'],
    ['item', 'i1', 'ambiguous_reference A-2 i1', 'ambiguous_reference A-2 i1'],
    ['item', 'A-2', 'ambiguous_reference A-2 i2', 'ambiguous_reference A-2 i2'],
    ['item', 'Nut', 'ambiguous_reference i2 i4', 'ambiguous_reference i2 i4'],
    ['item', 'other', 'i6', 'incomplete i6'],
    ['item', '7', '5', 'incomplete 5'],
    ['order', 'Nut', 'reference_not_found', 'incomplete'],
    // `id=` and `code=` need no other rows of the list.
    ['item', 'id=i1', 'i1', 'i1'],
    ['item', 'id=I1', 'reference_not_found', 'incomplete'],
    ['item', 'code=i1', 'A-2', 'A-2'],
    ['item', 'code=D', 'ambiguous_reference i4 i6', 'ambiguous_reference i4 i6'],
    ['item', 'code=i2', 'reference_not_found', 'incomplete'],
    ['item', 'name=Bolt', 'i1', 'incomplete i1'],
    // By the fold, another row of an incomplete list may have exactly this code.
    ['item', 'code=a\u20111 ', 'i1', 'incomplete i1'],
    ['item', 'key=x', 'invalid_usage', 'invalid_usage'],
    ['item', 'code=', 'invalid_usage', 'invalid_usage'],
  ] as const)('%s %s: %s, or %s of an incomplete list', async (kind, typed, whole, part) => {
    expect(await meant(kind, typed, { rows: ITEMS, isWhole: true })).toBe(whole);
    expect(await meant(kind, typed, { rows: ITEMS, isWhole: false })).toBe(part);
  });

  it.each([
    ['A-1', 'i1'],
    ['i1', 'A-2'],
    ['i4', 'incomplete i4'],
    ['Bolt', 'incomplete'],
    ['id=i1', 'i1'],
  ])('%s in a column of codes: %s', async (typed, expected) => {
    const list = { rows: ITEMS, isWhole: false };
    const options = { bareIsCode: true, needsFields: true };
    expect(await meant('item', typed, list, options)).toBe(expected);
  });

  it('in a column of codes, an id that is exactly the text comes before a code in another spelling', async () => {
    const rows = [
      { id: 'po-7', code: 'X' },
      { id: 'po-8', code: 'PO-7' },
    ];
    const list = { rows, isWhole: true };
    expect(await meant('order', 'po-7', list, { bareIsCode: true })).toBe('po-7');
    expect(await meant('order', 'PO-7', list, { bareIsCode: true })).toBe('po-8');
  });

  it.each([
    ['IT', 's1'],
    ['It', 'ambiguous_reference s1 s2'],
    ['key=ops', 's3'],
    ['ÑANDÚ', 's3'],
    ['S3', 'reference_not_found'],
  ])('sector %s: %s; case matters only if it distinguishes rows', async (typed, expected) => {
    expect(await meant('sector', typed, { rows: SECTORS, isWhole: true })).toBe(expected);
  });

  it('an id that a double would round is found, with all its digits', async () => {
    const row = { id: rawNumber('9007199254740993'), code: 'B', name: 'Big' };
    const twice = { rows: [row, { ...row, id: 'other' }], isWhole: true };
    expect(await meant('item', 'id=9007199254740993', twice)).toBe('9007199254740993');
    const found = (await lookUp(listItems, ['Big'], sourceOf(twice)))('Big');
    expect(found).toMatchObject({ hint: expect.stringContaining('id=9007199254740993') });
  });

  it('a repeated row counts once, and a read is content with one match in an incomplete list', async () => {
    const rows = [...ITEMS, ITEMS[0]!];
    expect(await meant('item', 'A-1', { rows, isWhole: true })).toBe('i1');
    const reading = { needsFields: true, isRead: true };
    expect(await meant('item', 'Bolt', { rows, isWhole: false }, reading)).toBe('i1');
    expect(await meant('item', 'none', { rows, isWhole: true }, reading)).toBe('not_found');
  });

  it('the candidates have a form that means only one of them', async () => {
    const formsOf = async (typed: string) => {
      const found = await lookUp(listItems, [typed], sourceOf({ rows: ITEMS, isWhole: true }));
      const { candidates } = (found(typed) as ProcError).details as { candidates: readonly Row[] };
      return candidates.map(({ reference }) => reference);
    };
    expect(await formsOf('i1')).toEqual(['id=i1', 'code=i1']);
    expect(await formsOf('D')).toEqual(['id=i4', 'id=i6']);
  });
});
