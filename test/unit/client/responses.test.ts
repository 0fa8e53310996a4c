import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readErrorBody } from '../../../src/client/response/error-body.ts';
import { parseRetryAfter } from '../../../src/client/response/judge.ts';
import { RowSplitter, RowsError } from '../../../src/client/response/row-stream.ts';

function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  );
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

function split(chunks: readonly Buffer[]): unknown[] {
  const splitter = new RowSplitter();
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return splitter.rows;
}

describe('rows from chunks', () => {
  const rows = fc.array(
    fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 4 })),
    {
      maxLength: 6,
    },
  );

  it('are those of the whole text, wherever it is split', () => {
    fc.assert(
      fc.property(
        rows,
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.constantFrom(0, 1),
        (list, cuts, space) => {
          const text = JSON.stringify(list, null, space);
          expect(split(pieces(Buffer.from(text), cuts))).toEqual(JSON.parse(text));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('are refused if JSON.parse would refuse them, at every length', () => {
    // Only small numbers: proc keeps a number as text if a double would round it.
    const value = fc.oneof(fc.string(), fc.nat({ max: 99 }), fc.constantFrom(null, true, [], [{}]));
    const mutation = fc.tuple(
      fc.array(fc.dictionary(fc.string(), value), { maxLength: 6 }),
      fc.nat(),
      fc.constantFrom('', ',', ']', '[', '{', '}', '"', 'x', '\\'),
    );
    fc.assert(
      fc.property(mutation, ([list, at, put]) => {
        const text = JSON.stringify(list);
        const cut = at % text.length;
        const broken = text.slice(0, cut) + put + text.slice(cut + 1);
        let expected: unknown;
        try {
          expected = JSON.parse(broken);
        } catch {
          expected = undefined;
        }
        try {
          expect(split([Buffer.from(broken)])).toEqual(expected);
        } catch (thrown) {
          if (!(thrown instanceof RowsError)) throw thrown;
          const isListOfObjects =
            Array.isArray(expected) &&
            expected.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row));
          expect(isListOfObjects).toBe(false);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

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
    const body = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 2000 }),
      fc.jsonValue({ maxDepth: 6 }).map((value) => JSON.stringify(value)),
      fc
        .dictionary(
          fc.constantFrom(
            'errors',
            'error',
            'message',
            'detail',
            'title',
            'issues',
            'field',
            'path',
          ),
          fc.jsonValue({ maxDepth: 4 }),
        )
        .map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(body, (text) => {
        const { message, issues } = readErrorBody(text, undefined);
        expect(message ?? '').not.toMatch(/[\r\n]/);
        expect((message ?? '').length).toBeLessThanOrEqual(500);
        for (const issue of issues) expect(typeof issue.message).toBe('string');
        if (text.trim() !== '') expect(message).toBeDefined();
      }),
      { numRuns: 1000 },
    );
  });
});
