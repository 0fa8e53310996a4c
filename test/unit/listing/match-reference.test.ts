import { describe, expect, it } from 'vitest';
import type { Row } from '../../../src/core/result.ts';
import { rawNumber } from '../../../src/core/text/raw-number.ts';
import {
  CandidateRows,
  explicitForm,
  type MatchOptions,
  matchReference,
  parseReference,
  type ReferenceKind,
} from '../../../src/listing/match-reference.ts';

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

/** The kind of match, and the ids of the matching records. */
function meant(kind: ReferenceKind, typed: string, rows: readonly Row[], options: MatchOptions) {
  const reference = parseReference(kind, typed);
  const match = matchReference(reference, new CandidateRows(kind, [reference]).add(rows), options);
  const found = 'row' in match ? [match.row] : 'rows' in match ? match.rows : [];
  return `${match.kind} ${found
    .map(({ id }) => id)
    .sort()
    .join(' ')}`.trim();
}

const WHOLE = { isWhole: true };
const PART = { isWhole: false };

describe('what a reference means', () => {
  it.each([
    // A bare word may match any field of any row, so an incomplete list proves nothing.
    ['item', 'A-1', 'found i1', 'unproved i1'],
    ['item', 'Bolt', 'found i1', 'unproved i1'],
    ['item', 'i1', 'ambiguous A-2 i1', 'ambiguous A-2 i1'],
    ['item', 'A-2', 'ambiguous A-2 i2', 'ambiguous A-2 i2'],
    ['item', 'Nut', 'ambiguous i2 i4', 'ambiguous i2 i4'],
    ['item', 'nut', 'none', 'unproved'],
    ['item', '7', 'found 5', 'unproved 5'],
    ['order', 'Nut', 'none', 'unproved'],
    // `id=` and `code=` need no other rows of the list.
    ['item', 'id=i1', 'found i1', 'found i1'],
    ['item', 'id=i9', 'none', 'unproved'],
    ['item', 'code=i1', 'found A-2', 'found A-2'],
    ['item', 'code=D', 'ambiguous i4 i6', 'ambiguous i4 i6'],
    ['item', 'code=i2', 'none', 'unproved'],
    ['item', 'name=Bolt', 'found i1', 'unproved i1'],
  ] as const)('%s %s: %s, or %s of an incomplete list', (kind, typed, whole, part) => {
    expect(meant(kind, typed, ITEMS, WHOLE)).toBe(whole);
    expect(meant(kind, typed, ITEMS, PART)).toBe(part);
  });

  it.each([
    ['A-1', 'found i1'],
    ['i1', 'found A-2'],
    ['i4', 'unproved i4'],
    ['Bolt', 'unproved'],
    ['id=i1', 'found i1'],
  ])('%s in a column of codes: %s', (typed, expected) => {
    expect(meant('item', typed, ITEMS, { ...PART, bareIsCode: true })).toBe(expected);
  });

  it.each([
    ['IT', 'found s1'],
    ['It', 'ambiguous s1 s2'],
    ['key=ops', 'found s3'],
    ['ÑANDÚ', 'found s3'],
    ['S3', 'none'],
  ])('sector %s: %s; case matters only if it distinguishes rows', (typed, expected) => {
    expect(meant('sector', typed, SECTORS, WHOLE)).toBe(expected);
  });

  it('an id that a double would round is found, with all its digits', () => {
    const rows = [{ id: rawNumber('9007199254740993'), code: 'B', name: 'Big' }];
    const reference = parseReference('item', 'id=9007199254740993');
    const match = matchReference(
      reference,
      new CandidateRows('item', [reference]).add(rows),
      WHOLE,
    );
    expect(match).toMatchObject({ kind: 'found' });
    expect(explicitForm(parseReference('item', 'Big'), rows[0]!, [...rows, ...rows])).toBe(
      'id=9007199254740993',
    );
  });

  it('a repeated row counts once', () => {
    expect(meant('item', 'A-1', [...ITEMS, ITEMS[0]!], WHOLE)).toBe('found i1');
  });

  it('has a form that only one of the candidates matches', () => {
    const rows = [ITEMS[0]!, ITEMS[2]!];
    const reference = parseReference('item', 'i1');
    expect(rows.map((row) => explicitForm(reference, row, rows))).toEqual(['id=i1', 'code=i1']);
    const both = [ITEMS[3]!, ITEMS[5]!];
    const shared = parseReference('item', 'D');
    expect(both.map((row) => explicitForm(shared, row, both))).toEqual(['id=i4', 'id=i6']);
  });
});
