import { describe, expect, it } from 'vitest';
import { docOf, flagValues } from '../../../src/cli/flags/flag-options.ts';
import { loadTree } from '../../../src/cli/tree.ts';
import type { FlagSpec } from '../../../src/core/command-spec.ts';

const tree = await loadTree();
const specs = tree.nouns.flatMap(({ commands }) => commands);
const FLAGS = [
  ...Object.entries(tree.globals).map(([key, flag]) => ['proc', key, flag] as const),
  ...specs.flatMap(({ path, flags = {} }) =>
    Object.entries(flags).map(([key, flag]) => [path.join(' '), key, flag] as const),
  ),
];

/** A text without quotes, code, ellipses and file extensions: only the punctuation of its sentences is left. */
const prose = (text: string) =>
  text.replace(/"[^"]*"|'[^']*'|`[^`]*`|…|\.\.\.|(?<=\s)\.(?:csv|xlsx|ndjson)\b/g, 'x');
const DOUBLED = /[.,:;]\s*[.,:;]|\(\s*\)|\s[.,:;](?=\s|$)/;

const rawKey = (key: string) =>
  /^no[A-Z]/.test(key) ? key.charAt(2).toLowerCase() + key.slice(3) : key;
const read = (key: string, flag: FlagSpec, text: string) =>
  flagValues({ [key]: flag }, { [rawKey(key)]: [text] })[key];

describe('every flag', () => {
  it('accepts each value that its help documents, including its default', () => {
    for (const [path, key, flag] of FLAGS) {
      if (flag.kind !== 'choice') continue;
      for (const value of flag.choices) expect(read(key, flag, value), path).toBe(value);
      const held = flag.defaultText ?? '';
      if (/^[\w-]+$/.test(held) && held !== 'detect') expect(flag.choices, key).toContain(held);
    }
  });

  it('refuses an empty value, or gives it a meaning', () => {
    for (const [path, key, flag] of FLAGS) {
      if (flag.kind === 'boolean' || flag.mayBeEmpty === true) continue;
      const place = `${path} --${key}`;
      expect(() => read(key, flag, ''), place).toThrow(
        expect.objectContaining({ code: 'invalid_usage' }),
      );
    }
  });

  it('has its choices, default and "repeatable" worded by one function, without doubled punctuation', () => {
    for (const [path, key, flag] of FLAGS) {
      const place = `${path} --${key}: ${docOf(flag)}`;
      expect(flag.doc, place).not.toMatch(/unless given|the default|repeatable|\bone of:/);
    }
    for (const { path, summary, description = '', args = {}, examples } of specs) {
      const texts = [summary, description, ...Object.values(args).map(({ doc }) => doc)];
      for (const text of [...texts, ...examples.map(({ doc }) => doc)]) {
        expect(prose(text), path.join(' ')).not.toMatch(DOUBLED);
      }
    }
  });
});
