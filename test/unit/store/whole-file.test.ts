import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openWholeFile, PRIVATE, writeWholeFile } from '../../../src/store/whole-file.ts';
import { freshFolder } from '../../support/sandbox.ts';

it('appears with its last piece, in the requested mode', async () => {
  const folder = await freshFolder();
  const path = join(folder, 'a.txt');
  const file = openWholeFile(path, PRIVATE);
  file.write('one\n');
  file.write(Buffer.from('two\n'));
  expect(readdirSync(folder)).not.toContain('a.txt');
  file.commit();
  expect(readdirSync(folder)).toEqual(['a.txt']);
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('keeps the old content, and leaves no trace, if its content fails halfway', async () => {
  const folder = await freshFolder();
  const path = join(folder, 'a.txt');
  writeFileSync(path, 'before');
  const pieces = function* () {
    yield 'half';
    throw new Error('no more');
  };
  expect(() => writeWholeFile(path, pieces())).toThrow('no more');
  expect(readdirSync(folder)).toEqual(['a.txt']);
  expect(readFileSync(path, 'utf8')).toBe('before');
});

it('leaves no trace if a folder is in its place', async () => {
  const folder = await freshFolder();
  mkdirSync(join(folder, 'a', 'b'), { recursive: true });
  expect(() => writeWholeFile(join(folder, 'a'), 'text')).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(readdirSync(folder)).toEqual(['a']);
});
