import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { isMissingProgram } from '../../../src/core/process/missing-program.ts';
import { freshFolder } from '../../support/sandbox.ts';

it.each([
  ['ENOENT', 'there', true],
  ['ENOENT', './there', true],
  // With a folder of PATH that may not be read, the code of a missing program is EACCES, too.
  ['EACCES', 'nowhere', true],
  ['EACCES', 'there', false],
  ['EACCES', './nowhere', false],
  ['E2BIG', 'nowhere', false],
])('after %s, %s is missing: %s', async (code, program, isMissing) => {
  const folder = await freshFolder();
  writeFileSync(join(folder, 'there'), 'not executable');
  const PATH = ['/no/such/folder', folder].join(delimiter);
  expect(isMissingProgram(program, Object.assign(new Error(code), { code }), { PATH })).toBe(
    isMissing,
  );
});
