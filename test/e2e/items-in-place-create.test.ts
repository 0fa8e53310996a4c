import { readFile } from 'node:fs/promises';
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

it('a line that defines an item refers to an item that exists', async () => {
  for (const args of [
    [...CREATE, '--new-item', 'code=A-1,name=Bolt,quantity=1'],
    ['requisition', 'create', '--file', await fileOf({ code: 'A-1', name: 'Bolt' }), '--again'],
  ]) {
    const ran = await here(...args);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.stderr).toContain('the catalogue already has');
    expect(stored().lines.at(-1)).toBe('A-1 1');
  }
  expect(stored().items).toBe(3);
});

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

it('a new item on two lines must be created first, by the command in the message', async () => {
  const file = await fileOf({ code: 'N-1', name: 'Rod' }, { code: 'N-1', name: 'Rod' });
  const ran = await here('requisition', 'create', '--file', file);
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  expect(errorOf(ran).message).toContain('proc items create --code N-1 --name Rod');
  expect((await here('items', 'create', '--code', 'N-1', '--name', 'Rod')).exitCode).toBe(0);
  expect((await here('requisition', 'create', '--file', file)).exitCode).toBe(0);
  expect(stored()).toEqual({ lines: ['N-1 1', 'N-1 2'], items: 4 });
});

it('the same file again is a repeat, although its items now exist', async () => {
  const file = await fileOf({ code: 'N-2', name: 'Rod' });
  expect((await here('requisition', 'create', '--file', file)).exitCode).toBe(0);
  const again = await here('requisition', 'create', '--file', file);
  expect(again.exitCode).toBe(2);
  expect(errorOf(again).code).toBe('repeated_write');
  const payload = JSON.parse(await readFile(file, 'utf8'));
  const import_ = await world.file('p.ndjson', JSON.stringify(payload));
  const ran = await here('requisition', 'import', import_, '--yes');
  expect([ran.exitCode, JSON.parse(ran.stdout).sentBefore]).toEqual([0, 1]);
});
