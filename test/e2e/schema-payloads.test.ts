import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { runHere } from '../support/in-process.ts';
import { freshWorld, ROOT } from '../support/run.ts';

type Schema = Parameters<typeof z.fromJSONSchema>[0];

async function schemaOf(noun: string): Promise<Schema> {
  const ran = await runHere(['schema', noun], (await freshWorld()).env);
  expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
  return JSON.parse(ran.stdout) as Schema;
}

it.each([
  ['requisition.json', 'requisition'],
  ['item.json', 'items'],
  ['imputation.json', 'imputations'],
  ['address.json', 'addresses'],
])('examples/%s is valid by proc schema %s; an unknown field is not', async (file, noun) => {
  const schema = z.fromJSONSchema(await schemaOf(noun));
  const payload = JSON.parse(await readFile(join(ROOT, 'examples', file), 'utf8')) as object;
  expect(schema.safeParse({ $schema: './s.json', ...payload }).error).toBeUndefined();
  expect(schema.safeParse({ ...payload, nosuchfield: 1 }).success).toBe(false);
});

it('a noun without a payload is refused, with those that have one', async () => {
  const { exitCode, stderr } = await runHere(['schema', 'orders'], (await freshWorld()).env);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('requisition');
});
