import { beforeEach, expect, it } from 'vitest';
import { assumeFirstRuns, runHere } from '../support/in-process.ts';
import { errorOf, freshWorld, type Ran, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

assumeFirstRuns();

const sandbox = await loggedSandbox({ empty: true });
let world: World;

beforeEach(async () => {
  for (const table of ['items', 'requisitions', 'groups', 'lines']) {
    sandbox.sql(`DELETE FROM ${table}`);
  }
  world = await freshWorld(sandbox.target);
  for (const [code, name] of [
    ['A-1', 'Bolt'],
    ['T-1', 'Nut'],
    ['T-1', 'Nut'],
  ]) {
    await here('items', 'create', '--code', code!, '--name', name!, '--again');
  }
});

const here = (...args: readonly string[]): Promise<Ran> => runHere(args, world.env);

const CREATE = ['requisition', 'create', '--title', 'T', '--group', 'delivery=pickup'];

function stored() {
  const lines = sandbox
    .sql('SELECT code, quantity FROM lines JOIN items ON items.id = itemId ORDER BY lines.id')
    .map(({ code, quantity }) => `${code} ${quantity}`);
  return { lines, items: sandbox.sql('SELECT id FROM items').length };
}

async function fileOf(...items: readonly object[]): Promise<string> {
  const lines = items.map((item, at) => ({ quantity: at + 1, item }));
  const groups = [{ deliveryMethod: 'pickup', items: lines }];
  return world.file('p.json', JSON.stringify({ title: 'T', groups }));
}

it('codes are compared by the fold: case, dashes, spaces and Unicode form make no difference', async () => {
  for (const code of ['a-1', ' A-1', 'A\u20131', '\uff21-1']) {
    const again = await here('items', 'create', '--code', code, '--name', 'Bolt');
    expect(errorOf(again), again.stderr).toMatchObject({ code: 'code_exists', exitCode: 2 });
    const file = await fileOf({ code, name: 'Bolt' });
    expect((await here('requisition', 'create', '--file', file, '--again')).exitCode).toBe(0);
    const line = ['--item', `code=${code},quantity=2`, '--again'];
    expect((await here(...CREATE, ...line)).exitCode).toBe(0);
  }
  const { lines, items } = stored();
  expect([lines.filter((line) => line.startsWith('A-1 ')).length, items]).toEqual([8, 3]);
  const twice = await fileOf({ code: 'N-9', name: 'Rod' }, { code: 'n-9', name: 'Rod' });
  const ran = await here('requisition', 'create', '--file', twice);
  expect(errorOf(ran)).toMatchObject({ code: 'invalid_input', exitCode: 2 });
});

it.each([
  [{ code: 'a-1', name: 'Screw' }, 'invalid_input', '"a-1" is "Bolt" (A-1, ', 'itemId'],
  [{ code: 'A-1', name: 'Screw' }, 'invalid_input', '"A-1" is "Bolt"', 'itemId'],
  [{ code: 'T-1', name: 'Nut' }, 'ambiguous_reference', '"T-1" is the code of 2 items', 'itemId'],
])('%j fails before anything is sent', async (item, code, message, hint) => {
  const writes = sandbox.writes().length;
  const file = await fileOf(item);
  for (const flags of [[], ['--dry-run']]) {
    const ran = await here('requisition', 'create', '--file', file, ...flags);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(errorOf(ran)).toMatchObject({
      code,
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
    expect(errorOf(ran).message).toContain('groups[0].items[0].item.code');
  }
  expect(sandbox.writes()).toHaveLength(writes);
});
