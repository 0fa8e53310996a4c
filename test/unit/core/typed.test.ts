import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { inShell } from '../../../src/core/wording.ts';

const WORDS = [
  'plain',
  '',
  'a b',
  "it's",
  '$(id)',
  '`id`',
  '"x"',
  'a;b',
  '=ls',
  '~',
  'ñ',
  '!!',
  '*',
];

it('a command to type or paste gives a shell exactly its words', () => {
  const line = `printf '%s\\0' ${WORDS.map(inShell).join(' ')}`;
  expect(execFileSync('sh', ['-c', line]).toString().split('\0').slice(0, -1)).toEqual(WORDS);
});
