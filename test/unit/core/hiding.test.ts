import { describe, expect, it } from 'vitest';
import { hidingOf } from '../../../src/core/secret.ts';

const KEY = 'Canary-key+/5f3a"\\x y';
const hide = hidingOf(KEY);
const each = (spell: (code: number) => string) =>
  [...KEY].map((character) => spell(character.charCodeAt(0))).join('');

const MASKED = {
  'as it is': KEY,
  'in upper case': KEY.toUpperCase(),
  'in lower case': KEY.toLowerCase(),
  'for JSON': JSON.stringify(KEY).slice(1, -1),
  'for JSON, as PHP writes it': JSON.stringify(KEY).slice(1, -1).replaceAll('/', '\\/'),
  'with \\u escapes': each((code) => `\\u${code.toString(16).padStart(4, '0').toUpperCase()}`),
  'for a URL': encodeURIComponent(KEY),
  'for a form': encodeURIComponent(KEY).replaceAll('%20', '+'),
  'for a URL, each byte': each((code) => `%${code.toString(16).toUpperCase()}`),
  'in hex': Buffer.from(KEY).toString('hex').toUpperCase(),
  'in base64': Buffer.from(KEY).toString('base64'),
  'in base64 of a longer text': Buffer.from(`u:${KEY}`).toString('base64url'),
};

describe('a key in a text or a field', () => {
  it.each(Object.entries(MASKED))('is masked %s', (_, spelled) => {
    const text = `before ${spelled} after`;
    expect(hide(text)).toMatch(/^before [\w+/=-]{0,3}\*\*\*[\w+/=-]{0,4} after$/);
    expect(JSON.stringify(hide.value({ a: [text], [spelled]: 1 }))).not.toContain(
      JSON.stringify(spelled).slice(1, -1),
    );
    expect(hide(hide(text))).toBe(hide(text));
  });

  it('is not masked in part, or in a spelling that docs/security.md does not name', () => {
    for (const text of [KEY.slice(1), KEY.split('').reverse().join(''), each((n) => `&#${n};`)]) {
      expect(hide(text)).toBe(text);
    }
  });

  it('is never masked if it is published, or too short', () => {
    for (const key of ['proc-sandbox-key', 'proc-sandbox-key-2', 'abcde']) {
      expect(hidingOf(key)(`the key ${key}`)).toBe(`the key ${key}`);
    }
  });
});
