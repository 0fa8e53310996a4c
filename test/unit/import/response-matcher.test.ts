import { describe, expect, it } from 'vitest';
import { CodeChanges } from '../../../src/core/service/code-change.ts';
import { ResponseMatcher } from '../../../src/import/send/response-matcher.ts';

/** The origin of each response. A pair is the code in the row, and the code in its response. */
function origins(
  pairs: readonly (readonly [code: string, stored: unknown])[],
  { more = [] as readonly string[] } = {},
) {
  const rows = new Set([...pairs.map(([code]) => code), ...more]);
  const changed: string[] = [];
  const changes = new CodeChanges(undefined);
  const matcher = new ResponseMatcher({
    hasRow: (code) => rows.has(code),
    keyField: 'code',
    changes,
    onChanged: (_, stored) => changed.push(stored),
    onBroken: () => undefined,
  });
  for (const code of rows) matcher.sent(code);
  const kinds = pairs.map(([code, stored]) => {
    const origin = matcher.originOf({ code }, { id: 'i', code: stored });
    return origin.kind === 'foreign' && origin.mayBeOwn ? 'foreign or own' : origin.kind;
  });
  return { kinds, changed, change: changes.change };
}

describe('the row that a successful response belongs to', () => {
  it('is the row itself if the code matches, another row if that row has the code, sent or not', () => {
    const { kinds, changed } = origins([
      ['A-1', 'A-1'],
      ['A-2', 'A-4'],
      ['A-3', undefined],
      ['A-4', 'A-4'],
    ]);
    expect(kinds).toEqual(['own', 'foreign', 'unsaid', 'own']);
    expect(changed).toEqual([]);
  });

  it.each([
    ['upper case', 'a-77', 'A-77'],
    ['lower case', 'A-77', 'a-77'],
    ['without outer spaces', 'a-77 ', 'a-77'],
    ['with single spaces', 'a  77', 'a 77'],
    ['Unicode NFC', 'cafe\u0301', 'caf\u00e9'],
    ['with plain dashes', 'AR\u20137', 'AR-7'],
    ['upper case, with plain dashes', 'ar\u20137', 'AR-7'],
  ])('is the row itself if the service stores codes %s', (name, code, stored) => {
    expect(origins([[code, stored]])).toMatchObject({
      kinds: ['own'],
      change: { name },
    });
  });

  it('is unclear if another row has the code, and the service may have changed this code into it', () => {
    const { kinds, changed } = origins([['a-1', 'A-1']], { more: ['A-1'] });
    expect({ kinds, changed }).toEqual({ kinds: ['foreign or own'], changed: [] });
  });

  it.each([
    ['the code begins like that of the row', 'K-1201', 'k-12'],
    ['the code ends like that of the row', 'K-1', 'ack-1'],
    ['no row has the code', 'K-1', 'Q-9'],
    ['it has a prefix', 'a-77', 'ACME-a-77'],
    ['zeros are missing', '0077', '77'],
    ['zeros are missing, in a number', '0077', 77],
    ['dashes are missing', 'AR-7', 'AR7'],
    ['the code was cut off', 'K-1-long', 'K-1-l'],
  ])('is unclear if %s', (_, code, stored) => {
    expect(origins([[code, stored]]).kinds).toEqual(['foreign or own']);
  });

  it('is another row if that row explains the code', () => {
    expect(origins([['K-1201', 'k-12']], { more: ['K-12'] }).kinds).toEqual(['foreign']);
    expect(origins([['K-1', 'k-2']], { more: ['K-2'] }).kinds).toEqual(['foreign']);
  });

  it('has one change: a second change, or none where it applies, is no longer explained', () => {
    expect(
      origins([
        ['a-1', 'A-1'],
        ['b\u20131', 'b-1'],
        ['C-2', 'C-2'],
      ]),
    ).toMatchObject({
      kinds: ['own', 'foreign or own', 'own'],
      change: { name: 'upper case' },
    });
    expect(
      origins([
        ['a-1', 'A-1'],
        ['c-2', 'c-2'],
      ]),
    ).toMatchObject({ kinds: ['own', 'own'], change: undefined });
    expect(
      origins([
        ['c-2', 'c-2'],
        ['a-1', 'A-1'],
      ]),
    ).toMatchObject({ kinds: ['own', 'foreign or own'], change: undefined });
  });
});

it('a row without a code says nothing, whatever code comes back', () => {
  const matcher = new ResponseMatcher({
    ...{ hasRow: () => true, keyField: 'code', changes: new CodeChanges(undefined) },
    ...{ onChanged: () => undefined, onBroken: () => undefined },
  });
  matcher.sent(null);
  const origin = matcher.originOf({ code: null }, { id: 'i', code: 'A-1' });
  expect(origin).toEqual({ kind: 'unsaid' });
});
