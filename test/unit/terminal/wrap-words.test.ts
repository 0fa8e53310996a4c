import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wrapText, wrapWords } from '../../../src/terminal/wrap-words.ts';

const words = fc.array(fc.stringMatching(/^[a-zñé,.]{1,12}$/), { minLength: 1, maxLength: 30 });

describe('text wrapped at words', () => {
  it('keeps every word whole and in its place, and no line is too wide', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 14, max: 60 }), (all, width) => {
        const text = all.join(' ');
        const lines = wrapWords(text, width);
        expect(lines.join(' ')).toBe(text);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('indents further lines, and counts wide characters twice', () => {
    expect(wrapWords('  1. one two three', 10, 5)).toEqual(['  1. one', '     two', '     three']);
    expect(wrapWords('漢字 漢字 漢字', 9)).toEqual(['漢字 漢字', '漢字']);
  });

  it('keeps a word that is wider than a line in one piece', () => {
    expect(wrapWords('see http://127.0.0.1:4010/api/v1 now', 12)).toEqual([
      'see',
      'http://127.0.0.1:4010/api/v1',
      'now',
    ]);
  });

  it('never breaks a command to copy', () => {
    const command = 'proc history resolve h-7k3mqd --again';
    expect(wrapText(`Saved as a draft. To resume: ${command}`, 30)).toBe(
      `Saved as a draft. To resume:\n  ${command}`,
    );
    expect(wrapText(`  ${command} --profile acme --env staging`, 30)).toBe(
      `  ${command} --profile acme --env staging`,
    );
    expect(wrapText(`To resume: ${command}`, 80)).toBe(`To resume: ${command}`);
    const two =
      'If so: proc history resolve h-1 --adopt ID; if not: proc history resolve h-1 --drop.';
    expect(wrapText(two, 40).split('\n')).toEqual([
      'If so:',
      'proc history resolve h-1 --adopt ID; if',
      'not: proc history resolve h-1 --drop.',
    ]);
    expect(wrapText('as proc refuses to create the same', 20)).toBe(
      'as proc refuses to\ncreate the same',
    );
  });

  it('leaves room for the text before it', () => {
    expect(wrapText('one two three', 13, 9)).toBe('one\ntwo three');
    expect(wrapText('one two three', 22, 9)).toBe('one two three');
  });
});
