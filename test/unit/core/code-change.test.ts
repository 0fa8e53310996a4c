import { describe, expect, it } from 'vitest';
import {
  bareText,
  type CodeChange,
  CodeChanges,
  changeBehind,
  changeText,
  isChangedCode,
  isChangeName,
  partOf,
  spellingsOf,
  storedCode,
} from '../../../src/core/service/code-change.ts';
import {
  idText,
  isSameValue,
  strangeId,
  type ValueKind,
} from '../../../src/core/service/same-value.ts';

describe('a service stores codes', () => {
  it.each([
    [undefined, 'ab-1', 'ab-1'],
    [{ name: 'prefix', prefix: 'ACME-' }, '7', 'ACME-7'],
    [{ name: 'upper case' }, 'ab-1', 'AB-1'],
    [{ name: 'lower case, without dashes' }, 'AB-1', 'ab1'],
    [{ name: 'as a number' }, '007', '7'],
    [{ name: 'as a number' }, '-1.50', '-1.5'],
    [{ name: 'as a number' }, '1E3', '1000'],
    [{ name: 'as a number' }, '7a', '7a'],
    [{ name: 'as a number' }, 'a7', 'a7'],
    [{ name: 'without leading zeros' }, '00', '0'],
    [{ name: 'without zeros before digits' }, 'A007-0.05', 'A7-0.05'],
    [{ name: 'without outer spaces' }, ' a b ', 'a b'],
    [{ name: 'with plain dashes' }, 'a–1', 'a-1'],
    [{ name: 'without spaces' }, 'a  b', 'ab'],
    [{ name: 'without signs' }, 'á/1 (2)', 'á12'],
  ] as const)('%j: %s is %s', (change, code, stored) => {
    expect(storedCode(change, code)).toBe(stored);
  });

  it.each([
    [{ name: 'prefix', prefix: 'A-' }, 'with the prefix A-'],
    [{ name: 'upper case' }, 'in upper case'],
    [{ name: 'as a number' }, 'as a number'],
    [{ name: 'with plain dashes' }, 'with plain dashes'],
    [{ name: 'without signs' }, 'without signs'],
    [{ name: 'Unicode NFC' }, 'in Unicode NFC'],
  ] as const)('%j is called %s', (change, text) => {
    expect(changeText(change)).toBe(text);
  });

  it('and a search tries all spellings', () => {
    expect([...spellingsOf(' a–1')]).toEqual([' a–1', ' A–1', 'a–1', ' a-1']);
  });
});

describe('the change of all codes that came back', () => {
  it('is the first that explains them all', () => {
    const changes = new CodeChanges(undefined);
    expect(changes.hasAny).toBe(false);
    expect(changes.change).toBeUndefined();
    expect(changes.explain('ab1', 'AB1', true)).toBe(true);
    expect(changes.change).toEqual({ name: 'upper case' });
    expect(changes.explain('a-2', 'A2', true)).toBe(true);
    expect(changes.change).toEqual({ name: 'upper case, without dashes' });
    expect(changes.hasAny).toBe(true);
    expect(changes.mayBe('b-1', 'B1')).toBe(true);
    expect(changes.mayBe('b-1', 'b1')).toBe(false);
    expect(changes.explain('b-1', 'b1', true)).toBe(false);
    expect(changes.explain('7', 'N-7', true)).toBe(false);
  });

  it('is none that would change a code that was kept', () => {
    const changes = new CodeChanges(undefined);
    expect(changes.noteKept('a1')).toBe(true);
    expect(changes.hasAny).toBe(true);
    expect(changes.change).toBeUndefined();
    expect(changes.explain('b1', 'B1', true)).toBe(false);
    expect(changes.explain('b-1', 'b1', true)).toBe(true);
    expect(changes.noteKept('c1')).toBe(true);
    expect(changes.noteKept('c-1')).toBe(false);
    expect(changes.change).toBeUndefined();
  });

  it('learns nothing more from codes that were kept after 256 of them', () => {
    const changes = new CodeChanges(undefined);
    for (let n = 0; n < 256; n++) changes.noteKept('1');
    expect(changes.noteKept('a')).toBe(true);
    expect(changes.explain('b', 'B', true)).toBe(true);
  });

  it('is a prefix only if the response is certain, and the prefix ends visibly', () => {
    const changes = new CodeChanges(undefined);
    expect(changes.explain('7', 'N-7', false)).toBe(false);
    expect(changes.explain('5', '15', true)).toBe(false);
    expect(changes.explain('N-7', '7', true)).toBe(false);
    expect(changes.explain('7', 'N-8', true)).toBe(false);
    expect(changes.explain('', 'N-', true)).toBe(false);
    expect(changes.explain('7', 'N-7', true)).toBe(true);
    expect(changes.change).toEqual({ name: 'prefix', prefix: 'N-' });
    expect(changes.explain('8', 'N-8', false)).toBe(true);
    expect(changes.explain('8', 'M-8', true)).toBe(false);
    expect(changes.mayBe('9', 'N-9')).toBe(true);
    expect(changes.mayBe('9', '9')).toBe(false);
  });

  it.each([{ name: 'prefix', prefix: 'N-' }, { name: 'lower case' }] as const)(
    'may be known from an earlier process: %j',
    (known) => {
      const changes = new CodeChanges(known);
      expect(changes.change).toEqual(known);
      expect(changes.hasAny).toBe(true);
      expect(changes.mayBe('AB', storedCode(known, 'AB'))).toBe(true);
      expect(changes.mayBe('a-b', 'ab')).toBe(false);
      expect(changes.noteKept('AB')).toBe(false);
      expect(changes.change).toBeUndefined();
    },
  );
});

describe('the change behind the codes of a rehearsal', () => {
  it.each<
    [codes: readonly (readonly [sent: string, stored: string])[], CodeChange | 'none' | undefined]
  >([
    [[], 'none'],
    [[['a', 'a']], 'none'],
    [[['a', 'A']], { name: 'upper case' }],
    [
      [
        ['7', 'N-7'],
        ['8', 'N-8'],
      ],
      { name: 'prefix', prefix: 'N-' },
    ],
    [
      [
        ['7', 'N-7'],
        ['8', 'M-8'],
      ],
      undefined,
    ],
    // The fewest parts: upper case explains the first one too.
    [
      [
        ['1', '1'],
        ['a', 'A'],
      ],
      { name: 'upper case' },
    ],
    [
      [
        ['a-1', 'A1'],
        ['b 1', 'B 1'],
      ],
      { name: 'upper case, without dashes' },
    ],
    [
      [
        ['0a–1 x', 'A1X'],
        ['á', 'Á'],
      ],
      { name: 'upper case, without leading zeros, without signs' },
    ],
    [[['A 007', 'a7']], { name: 'lower case, without zeros before digits, without spaces' }],
    [[['Á–01', 'a\u0301-01']], { name: 'lower case, with plain dashes, Unicode NFD' }],
    [
      [
        ['01', '1'],
        ['a', 'b'],
      ],
      undefined,
    ],
  ])('%j is %j', (codes, change) => {
    expect(changeBehind(codes.map(([sent, stored]) => ({ sent, stored })))).toEqual(change);
  });

  it.each([
    ['prefix', true],
    ['upper case', true],
    ['upper case, without leading zeros, without dashes', true],
    ['toString', false],
    ['upper case, unknown', false],
    ['', false],
  ])('%j is the name of a change: %s', (name, expected) => {
    expect(isChangeName(name)).toBe(expected);
  });

  it('has a part for each question', () => {
    const name = 'lower case, as a number, without signs, without outer spaces, Unicode NFKC';
    expect(
      (['case', 'zeros', 'dashes', 'spaces', 'form'] as const).map((about) =>
        partOf({ name }, about),
      ),
    ).toEqual(name.split(', '));
    expect(partOf({ name: 'as a number' }, 'case')).toBeUndefined();
    expect(partOf({ name: 'prefix', prefix: 'A' }, 'form')).toBeUndefined();
  });

  it('is expected of an import, if answers show it', () => {
    const name = 'upper case, without leading zeros, without dashes';
    expect(new CodeChanges(undefined).explain('0a-1', 'A1', true)).toBe(false);
    const changes = new CodeChanges(undefined, { name });
    expect(changes.change).toBeUndefined();
    expect(changes.mayBe('0a-1', 'A1')).toBe(true);
    expect(changes.explain('0a-1', 'A1', true)).toBe(true);
    expect(changes.change).toEqual({ name });
    const prefixed = new CodeChanges(undefined, { name: 'prefix', prefix: 'N-' });
    expect(prefixed.mayBe('1', 'N-1')).toBe(false);
    const plain = new CodeChanges(undefined, { name: 'upper case' });
    expect(plain.explain('a', 'A', true)).toBe(true);
    expect(plain.change).toEqual({ name: 'upper case' });
  });
});

it.each([
  ['A', 'A', false],
  ['', 'A', false],
  ['A', '', false],
  ['AR-007', 'ar7', true],
  ['AR-007', 'ar8', false],
  ['5', 'ORG-5', true],
  ['5', 'ORG5', true],
  ['A5', 'ORGA5', false],
  ['5', '15', false],
  ['1.0', '1', true],
  ['1.5', '15', true],
  ['--', '==', false],
  ['', '--', false],
  ['1', 'x', false],
])('%j stored as %j is recognisable: %s', (sent, stored, expected) => {
  expect(isChangedCode(sent, stored)).toBe(expected);
});

it('a text is bare without signs, spaces and case', () => {
  expect(bareText('ＡＲ-0 7_x')).toBe('ar07x');
});

it.each<[sent: unknown, stored: unknown, kind: ValueKind, expected: boolean]>([
  ['a', 'a', 'other', true],
  [null, '', 'code', true],
  [undefined, null, 'number', true],
  [null, 'null', 'other', false],
  ['100', 100, 'other', true],
  ['007', '7', 'other', false],
  ['007', 7, 'other', true],
  ['100', '1e2', 'number', true],
  ['100', 100, 'code', true],
  ['0100', 100, 'code', false],
  ['a', '1', 'number', false],
  ['1', 'a', 'number', false],
  ['1', '2', 'number', false],
  ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00.000+01:00', 'other', true],
  ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z', 'other', false],
  ['2026-01-01', '2026-01-01T00:00:00Z', 'other', true],
  ['1 January 2026', '2026-01-01', 'other', false],
  ['usd', 'USD', 'word', true],
  ['usd', 'USD', 'id', true],
  ['usd', 'USD', 'name', false],
  ['usd', 'EUR', 'word', false],
  [{ a: 1 }, { a: 1 }, 'other', true],
  [{ a: 1 }, { a: 2 }, 'other', false],
])('%j and %j as %s mean the same: %s', (sent, stored, kind, expected) => {
  expect(isSameValue(sent, stored, kind)).toBe(expected);
});

it.each<[id: unknown, text: string | undefined, strange?: string]>([
  ['a', 'a'],
  [7, '7'],
  ['', undefined, 'empty'],
  [undefined, undefined, 'missing'],
  [null, undefined, 'null'],
  [[1], undefined, 'an array'],
  [{ a: 1 }, undefined, 'an object'],
  [true, undefined, 'a boolean'],
])('the id %j is %s, or %s', (id, text, strange) => {
  expect(idText(id)).toBe(text);
  if (strange !== undefined) expect(strangeId(id)).toBe(strange);
});
