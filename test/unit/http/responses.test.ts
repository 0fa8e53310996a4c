import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRetryAfter, readErrorBody } from '../../../src/http/judge.ts';
import { anyCharacter } from '../../support/any-character.ts';

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    ['0', 0],
    ['1', 1000],
    [' 120 ', 120_000],
    ['1.5', 1500],
    ['86400', 86_400_000],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['-5', undefined],
    ['soon', undefined],
    ['', undefined],
    ['1e3', undefined],
    [undefined, undefined],
  ])('%s', (header, ms) => {
    expect(parseRetryAfter(header, now)).toBe(ms);
  });
});

describe('error bodies', () => {
  it('any text or JSON becomes at most one short line', () => {
    const field = fc.constantFrom(
      'errors',
      'error',
      'message',
      'detail',
      'title',
      'issues',
      'path',
    );
    const body = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 600 }),
      fc.dictionary(field, fc.jsonValue({ maxDepth: 2 })).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(body, (text) => {
        const { message, issues } = readErrorBody(text, undefined);
        expect(message ?? '').not.toMatch(/[\r\n]/);
        expect((message ?? '').length).toBeLessThanOrEqual(500);
        for (const issue of issues) expect(typeof issue.message).toBe('string');
        if (text.trim() !== '') expect(message).toBeDefined();
      }),
      { numRuns: 50 },
    );
  });
});
