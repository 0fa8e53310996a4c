import { join } from 'node:path';
import { readSheet } from 'read-excel-file/node';
import { expect, it } from 'vitest';
import { freshWorld, ROOT } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

it('examples/orders-workbook.sh writes all orders to a workbook, the largest first', async () => {
  await using sandbox = await loggedSandbox();
  const world = await freshWorld(sandbox.target);
  const script = join(ROOT, 'examples', 'orders-workbook.sh');
  const ran = await world.shell(`proc() { "$NODE" "$PROC" "$@"; }; . '${script}'`);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  const [header, ...rows] = await readSheet(join(world.cwd, 'orders.xlsx'));
  const amounts = rows.map((row) => row[header!.indexOf('amount')]);
  expect(amounts.length).toBeGreaterThan(1);
  expect(amounts).toEqual([...amounts].sort((a, b) => Number(b) - Number(a)));
});
