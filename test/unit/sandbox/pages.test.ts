import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { freshFolder, startTestSandbox } from '../../support/sandbox.ts';

it.each([
  ['', 'seq'],
  ['&sort=code&dir=desc', 'code DESC, seq DESC'],
  ['&sort=name&dir=asc', 'name, seq'],
])('pages%s continue the list, also if items come and go between them', async (sorted, order) => {
  const db = join(await freshFolder(), 'shop.db');
  const sandbox = await startTestSandbox({ db });
  const headers = { 'x-api-key': 'proc-sandbox-key', 'content-type': 'application/json' };
  const create = async (code: string | undefined) => {
    const body = JSON.stringify({ name: 'Bolt', code });
    await fetch(`${sandbox.baseUrl}/items/`, { method: 'POST', headers, body });
  };
  // Equal codes and names, and items without a code, which come first.
  for (let n = 0; n < 90; n++) await create(n % 5 === 0 ? undefined : `0-${n % 40}`);
  using outside = new DatabaseSync(db);
  const page = async (offset: number) => {
    const answer = await fetch(`${sandbox.baseUrl}/items/?limit=20&offset=${offset}${sorted}`, {
      headers,
    });
    return ((await answer.json()) as { id: string }[]).map(({ id }) => id);
  };
  const expected = (offset: number) =>
    outside
      .prepare(`SELECT id FROM items ORDER BY ${order} LIMIT 20 OFFSET ${offset}`)
      .all()
      .map(({ id }) => id);
  for (let offset = 0; ; offset += 20) {
    const ids = await page(offset);
    expect(ids, `at ${offset}`).toEqual(expected(offset));
    if (ids.length < 20) break;
    if (offset === 20) await create('0-');
    if (offset === 40) outside.exec(`DELETE FROM items WHERE id = '${ids[3]}'`);
  }
  expect(await page(20)).toEqual(expected(20));
  expect(await page(40)).toEqual(expected(40));
});
