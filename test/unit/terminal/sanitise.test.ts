import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeJson, visible, visibleLines } from '../../../src/terminal/sanitise.ts';
import { anyCharacter } from '../../support/any-character.ts';

const ALLOWED_LINES = /[\n\t]/g;
const DANGEROUS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const hostile = fc.string({ unit: anyCharacter });
const fragments = fc
  .array(
    fc.constantFrom(
      'a',
      '\u001b[31m',
      '\u009b2J',
      '\r',
      '\n',
      '\t',
      '\u202e',
      '\ud800',
      '\u007f',
      '\u{e0041}',
      'é',
    ),
  )
  .map((parts) => parts.join(''));

describe('what reaches a terminal', () => {
  it('shows controls as escapes', () => {
    expect(visible('a\u001b[31mb\u009b\u202e\u007f')).toBe('a\\u001b[31mb\\u009b\\u202e\\u007f');
    expect(visible('a\nb\tc\r')).toBe('a\\nb\\tc\\r');
    expect(visible('\ud800 \u{e0041}')).toBe('\\ud800 \\udb40\\udc41');
  });

  it('does not change letters, wide characters, emoji and joiners', () => {
    const text = 'Señal 名前 👩‍👩‍👧 ❤️ e\u0301 نمی\u200cخواهم';
    expect(visible(text)).toBe(text);
  });

  it.each([
    '\u3164',
    '\u00ad',
    '\ufe0f',
    '\ufe00',
    '\u{e0100}',
    '\u200b',
    '\u200d',
    '\u200c',
    '\u2800',
    '\u115f',
  ])('makes invisible characters visible: %j', (hidden) => {
    expect(visible(`A4${hidden}7`)).toMatch(/^A4(\\u[0-9a-f]{4})+7$/);
  });

  it('keeps the lines of longer text', () => {
    expect(visibleLines('one\r\n\ttwo\u0007')).toBe('one\n\ttwo\\u0007');
  });

  it('never leaves a control character raw', () => {
    fc.assert(
      fc.property(fc.oneof(hostile, fragments), (text) => {
        expect(visible(text)).not.toMatch(DANGEROUS);
        expect(visible(text).isWellFormed()).toBe(true);
        expect(visibleLines(text).replace(ALLOWED_LINES, '')).not.toMatch(DANGEROUS);
      }),
    );
  });
});

describe('JSON', () => {
  it('is safe to display and means the same', () => {
    fc.assert(
      fc.property(fc.oneof(hostile, fragments), (text) => {
        const json = escapeJson(JSON.stringify({ text }));
        expect(json).not.toMatch(DANGEROUS);
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
  });
});
