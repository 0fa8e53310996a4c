import { describe, expect, it } from 'vitest';
import {
  bareText,
  CodeChanges,
  changeText,
  isChangedCode,
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
    [{ name: 'upper case' }, 'ab-1', 'AB-1'],
    [{ name: 'lower case, with plain dashes' }, 'AB–1', 'ab-1'],
    [{ name: 'without outer spaces' }, ' a b ', 'a b'],
    [{ name: 'with plain dashes' }, 'a–1', 'a-1'],
    [{ name: 'with single spaces' }, 'a  b', 'a b'],
  ] as const)('%j: %s is %s', (change, code, stored) => {
    expect(storedCode(change, code)).toBe(stored);
  });

  it.each([
    [{ name: 'upper case' }, 'in upper case'],
    [{ name: 'with plain dashes' }, 'with plain dashes'],
    [{ name: 'without outer spaces' }, 'without outer spaces'],
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
    expect(changes.change).toBeUndefined();
    expect(changes.explain('ab1', 'AB1')).toBe(true);
    expect(changes.change).toEqual({ name: 'upper case' });
    expect(changes.explain('a–2', 'A-2')).toBe(true);
    expect(changes.change).toEqual({ name: 'upper case, with plain dashes' });
    expect(changes.mayBe('b–1', 'B-1')).toBe(true);
    expect(changes.mayBe('b–1', 'b-1')).toBe(false);
    expect(changes.explain('b–1', 'b-1')).toBe(false);
  });

  it('is one of the spellings only', () => {
    for (const [sent, stored] of [
      ...[
        ['a-1', 'a1'],
        ['007', '7'],
        ['7', 'N-7'],
        ['1.50', '1.5'],
      ],
      ...[
        ['a b', 'ab'],
        ['a/1', 'a1'],
      ],
    ] as const)
      expect(new CodeChanges(undefined).explain(sent!, stored!)).toBe(false);
  });

  it('is none that would change a code that was kept', () => {
    const changes = new CodeChanges(undefined);
    expect(changes.noteKept('a1')).toBe(true);
    expect(changes.change).toBeUndefined();
    expect(changes.explain('b1', 'B1')).toBe(false);
    expect(changes.explain('b–1', 'b-1')).toBe(true);
    expect(changes.noteKept('c1')).toBe(true);
    expect(changes.noteKept('c–1')).toBe(false);
    expect(changes.change).toBeUndefined();
  });

  it('learns nothing more from codes that were kept after 256 of them', () => {
    const changes = new CodeChanges(undefined);
    for (let n = 0; n < 256; n++) changes.noteKept('1');
    expect(changes.noteKept('a')).toBe(true);
    expect(changes.explain('b', 'B')).toBe(true);
  });

  it('may be known from an earlier process', () => {
    const known = { name: 'lower case' };
    const changes = new CodeChanges(known);
    expect(changes.change).toEqual(known);
    expect(changes.mayBe('AB', storedCode(known, 'AB'))).toBe(true);
    expect(changes.mayBe('a-b', 'ab')).toBe(false);
    expect(changes.noteKept('AB')).toBe(false);
    expect(changes.change).toBeUndefined();
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
