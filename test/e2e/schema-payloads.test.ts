import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { runHere } from '../support/in-process.ts';
import { freshWorld, ROOT } from '../support/run.ts';

const ajv = new Ajv2020({ strict: false });

async function schemaOf(noun: string): Promise<object> {
  const ran = await runHere(['schema', noun], (await freshWorld()).env);
  expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
  return JSON.parse(ran.stdout) as object;
}

it.each([
  ['requisition.json', 'requisition'],
  ['item.json', 'items'],
  ['imputation.json', 'imputations'],
  ['address.json', 'addresses'],
])('examples/%s is valid by proc schema %s; an unknown field is not', async (file, noun) => {
  const check = ajv.compile(await schemaOf(noun));
  const payload = JSON.parse(await readFile(join(ROOT, 'examples', file), 'utf8')) as object;
  expect(check({ $schema: './s.json', ...payload }), ajv.errorsText(check.errors)).toBe(true);
  expect(check({ ...payload, nosuchfield: 1 })).toBe(false);
});

it('a noun without a payload is refused, with those that have one', async () => {
  const { exitCode, stderr } = await runHere(['schema', 'orders'], (await freshWorld()).env);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('requisition');
});
