import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { quotedForBash, readBashLine } from '../../../src/completion/bash.ts';

const BREAKS = ' \t\n"\'@><=;|&(:';

describe('a bash command line up to the cursor', () => {
  it.each([
    ['proc ', [''], '', 0],
    ['proc ord', ['ord'], '', 0],
    ['proc\torders  get ', ['orders', 'get', ''], '', 0],
    ['proc sectors get k:v=', ['sectors', 'get', 'k:v='], '', 4],
    ['proc --dir=de', ['--dir=de'], '', 6],
    [`proc "Road bikes" 'it''s' a\\ b x`, ['Road bikes', 'its', 'a b', 'x'], '', 0],
    [`proc "a\\"b\\c $`, undefined, '', 0],
    [`proc "a\\"b\\c `, ['a"b\\c '], '"', 0],
    [`proc --order="K0`, ['--order=K0'], '"', 8],
    [`proc 'K0 \\`, ['K0 \\'], "'", 0],
    ['proc -p "$HOME" orders ', ['-p', '"$HOME"', 'orders', ''], '', 0],
    ['proc -p $(cat a b) orders ', ['-p', '$(cat a b)', 'orders', ''], '', 0],
    ['proc -p `cat a b` orders ', ['-p', '`cat a b`', 'orders', ''], '', 0],
  ] as const)('%j', (line, words, quote, start) => {
    const expected = words === undefined ? undefined : { words, quote, start };
    expect(readBashLine(line, BREAKS)).toEqual(expected);
  });

  it.each(['proc $x', 'proc `a', 'proc "a$(b', 'proc "closed"', "proc 'a'b", 'proc a\\'])(
    'no candidates for: %s',
    (line) => {
      expect(readBashLine(line, BREAKS)).toBeUndefined();
    },
  );
});

describe('a candidate in bash', () => {
  const ODD = [
    'plain',
    'a b',
    "it's",
    '$(id)',
    '`id`',
    '"x"',
    '\\',
    'a;b',
    '~',
    'ñ',
    '*',
    '%s',
    "'",
  ];

  it.each(['', '"', "'"] as const)(
    'arrives unchanged after %j, once bash has closed the quote',
    (quote) => {
      for (const odd of ODD) {
        const [text = ''] = quotedForBash([odd], quote);
        // A candidate that ends with the quote has already closed it.
        const line = `${quote}${text}${odd.endsWith(quote) && quote !== '' ? '' : quote}`;
        const printed = execFileSync('bash', ['-c', `printf '%s' ${line}`]).toString();
        expect([line, printed]).toEqual([line, odd]);
      }
    },
  );

  it('is omitted if bash would expand it in any quotes', () => {
    expect(quotedForBash(['a!!', 'b'], '"')).toEqual(['b']);
    expect(quotedForBash(['a!!'], "'")).toEqual(['a!!']);
  });

  it('gets an extra candidate without a common prefix if all share half an escape', () => {
    expect(quotedForBash(['K;a', 'K b'], '')).toEqual(['K\\;a', 'K\\ b', ' ']);
    expect(quotedForBash(['K;a', 'K;b'], '')).toEqual(['K\\;a', 'K\\;b']);
    expect(quotedForBash(['K\\;', 'K\\ '], '')).toEqual(['K\\\\\\;', 'K\\\\\\ ', ' ']);
  });
});
