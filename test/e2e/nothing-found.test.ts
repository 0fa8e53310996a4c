import { describe, expect, it } from 'vitest';
import { always, http, startHostile, targetOf } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld, jsonLines, openWorld } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

assumeFirstRuns();

const sandbox = await loggedSandbox();
const world = await openWorld(sandbox.target);
for (const [code, name] of [
  ['HL-1', 'Sport Helmet'],
  ['CH-1', 'Chain'],
  ['CH-2', 'Chain ring'],
]) {
  const ran = await world.run(['items', 'create', '--code', code!, '--name', name!]);
  expect(ran.exitCode, ran.stderr).toBe(0);
}

const run = (line: string) => world.run(line.split(' '));

describe('a look-up that finds nothing names what is nearest', () => {
  it.each(['json', 'table'])('items list -o %s', async (format) => {
    const ran = await run(`items list helmt -o ${format}`);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('Nearest items: HL-1 (Sport Helmet).');
  });

  it('says that no row is similar', async () => {
    const ran = await run('items list qqqqqq');
    expect(jsonLines(ran.stderr)).toEqual([
      { notice: '"qqqqqq": 0 of 3 fetched rows match' },
      { notice: 'No items.' },
    ]);
  });

  it.each([
    ['orders get PO-4200', 5, 'nearest orders: PO-00'],
    ['orders get code=PO-42', 5, 'PO-00042'],
    ['items get Chian', 5, 'nearest items: CH-1 (Chain)'],
    ['items get code=CH-11', 5, 'nearest items: CH-1 (Chain), CH-2 (Chain ring)'],
  ])('%s', async (line, exitCode, near) => {
    const ran = await run(line);
    expect(ran.exitCode).toBe(exitCode);
    expect(errorOf(ran).message).toContain(near);
  });
});

describe('items create looks its code up first', () => {
  it('sends nothing if an item has the code, unless --again', async () => {
    const sandbox = await loggedSandbox();
    await using other = await openWorld(sandbox.target);
    const run = (line: string) => other.run(line.split(' '));
    const writes = () => sandbox.requests.filter(({ method }) => method === 'POST').length;
    expect((await run('items create --code CH-1 --name Chain')).exitCode).toBe(0);
    const before = writes();
    const ran = await run('items create --code CH-1 --name Chian');
    expect(ran.exitCode).toBe(2);
    const error = errorOf(ran);
    expect(error.code).toBe('code_exists');
    expect(error.message).toContain('CH-1 Chain (itm-');
    expect(writes()).toBe(before);
    const dry = await run('items create --code CH-1 --name Chian --dry-run');
    expect(errorOf(dry).code).toBe('code_exists');
    const again = await run('items create --code CH-1 --name Chian --again');
    expect(again.exitCode, again.stderr).toBe(0);
    expect(writes()).toBe(before + 1);
  });

  it('sends nothing if the list cannot be verified, and names doctor and --again', async () => {
    const rows = JSON.stringify([{ id: 'i-1', code: 'CH-1', name: 'Chain' }]);
    for (const answer of [http(200, rows), http(404, '{}'), http(400, '{}')]) {
      await using service = await startHostile(always(answer));
      const other = await freshWorld(targetOf(service));
      const ran = await other.run(['items', 'create', '--code', 'N-1', '--name', 'Nut']);
      expect(ran.exitCode, ran.stderr).toBe(2);
      expect(errorOf(ran).code).toBe('catalogue_unverified');
      expect(errorOf(ran).hint).toMatch(/proc doctor.*--again/);
      expect(service.requests.filter(({ method }) => method === 'POST')).toEqual([]);
    }
  });
});
