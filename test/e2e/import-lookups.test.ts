import { expect, it } from 'vitest';
import { assumeFirstRuns } from '../support/in-process.ts';
import { freshWorld } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

assumeFirstRuns();

const ORDERS = 3_000;
/** Requests for the whole list. The last one proves that the list is complete. */
const WHOLE_LIST = ORDERS / 100 + 1;

const codeOf = (n: number) => `LONG-${String(n).padStart(5, '0')}`;

it('each reference is looked up once, by a search or by reading the list once', async () => {
  await using sandbox = await loggedSandbox();
  const world = await freshWorld(sandbox.target);
  // Lists are not sorted by default, so the order of creation is not the order of codes.
  sandbox.sql(`
    CREATE TEMP TABLE owner AS SELECT organizationId AS id FROM orders WHERE id = 'po-1';
    DELETE FROM orders;
    INSERT INTO orders (id, organizationId, code, amount, currency, createdAt, updatedAt)
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${ORDERS - 1})
      SELECT 'ord-' || (i * 1237 % ${ORDERS}), (SELECT id FROM owner),
        printf('LONG-%05d', i * 1237 % ${ORDERS}), 1, 'USD', '2026-01-01', '2026-01-01' FROM n`);
  const reads = async (orders: readonly string[]) => {
    const lines = Array.from({ length: 600 }, (_, n) => `R-${n},a,1,${orders[n % orders.length]}`);
    await world.file('a.csv', `reference,account,amount,order\n${lines.join('\n')}\n`);
    sandbox.requests.length = 0;
    const ran = await world.run(['imputations', 'import', 'a.csv', '--dry-run']);
    expect(JSON.parse(ran.stdout), ran.stderr).toMatchObject({ create: 600, rejected: 0 });
    return sandbox.requests.length;
  };
  expect(await reads([`code=${codeOf(2_222)}`])).toBeLessThan(WHOLE_LIST);
  // A few more requests find out how long the list is.
  const many = Array.from({ length: 500 }, (_, n) => n * 5);
  expect(await reads(many.map(codeOf))).toBeLessThanOrEqual(WHOLE_LIST + 8);
  expect(await reads(many.map((n) => `ord-${n}`))).toBeLessThanOrEqual(WHOLE_LIST + 8);
});
