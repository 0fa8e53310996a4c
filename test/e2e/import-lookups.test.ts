import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { assumeFirstRuns } from '../support/in-process.ts';
import { freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

assumeFirstRuns();

const ORDERS = 3_000;
/** Requests for the whole list. The last one proves that the list is complete. */
const WHOLE_LIST = ORDERS / 100 + 1;

const codeOf = (n: number) => `LONG-${String(n).padStart(5, '0')}`;

async function longSandbox(world: World): Promise<LoggedSandbox> {
  const db = join(world.folder, 'sandbox.db');
  const { [Symbol.asyncDispose]: close } = await loggedSandbox({ db });
  await close();
  const database = new DatabaseSync(db);
  const { organizationId } = database
    .prepare("SELECT organizationId FROM orders WHERE code = 'PO-00001'")
    .get()!;
  database.exec('DELETE FROM orders; BEGIN');
  const insert = database.prepare(
    `INSERT INTO orders (id, organizationId, code, amount, currency, createdAt, updatedAt)
     VALUES (?, ?, ?, 1000000, 'USD', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`,
  );
  // Lists are not sorted by default, so the order of creation is not the order of codes.
  for (let n = 0; n < ORDERS; n++) {
    const mixed = (n * 1_237) % ORDERS;
    insert.run(`ord-${mixed}`, organizationId as string, codeOf(mixed));
  }
  database.exec('COMMIT');
  database.close();
  return loggedSandbox({ db });
}

it('each reference is looked up once, by a search or by reading the list once', async () => {
  const world = await freshWorld();
  await using sandbox = await longSandbox(world);
  const reads = async (orders: readonly string[]) => {
    const lines = Array.from({ length: 600 }, (_, n) => `R-${n},a,1,${orders[n % orders.length]}`);
    await world.file('a.csv', `reference,account,amount,order\n${lines.join('\n')}\n`);
    const before = sandbox.requests.length;
    const ran = await world.run(['imputations', 'import', 'a.csv', '--dry-run'], {
      env: sandbox.target,
    });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ create: 600, rejected: 0 });
    const made = sandbox.requests.slice(before);
    expect(made.every(({ method }) => method === 'GET')).toBe(true);
    return made.length;
  };
  const few = await reads([`code=${codeOf(2_222)}`]);
  expect(few).toBeLessThan(WHOLE_LIST);
  const many = await reads(Array.from({ length: 500 }, (_, n) => codeOf(n * 5)));
  // A few more requests find out how long the list is.
  expect(many).toBeLessThanOrEqual(WHOLE_LIST + 8);
  const byId = await reads(Array.from({ length: 500 }, (_, n) => `ord-${n * 5}`));
  expect(byId).toBeLessThanOrEqual(WHOLE_LIST + 8);
});
