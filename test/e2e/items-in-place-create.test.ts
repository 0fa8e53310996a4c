import { readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runHere } from '../support/in-process.ts';
import { errorOf, freshWorld, jsonLines, type Ran, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

let sandbox: LoggedSandbox;
let world: World;

beforeAll(async () => {
  sandbox = await loggedSandbox({ empty: true });
});
afterAll(() => sandbox.close());

beforeEach(async () => {
  using database = new DatabaseSync(sandbox.dbPath);
  database.exec(
    'DELETE FROM items; DELETE FROM requisitions; DELETE FROM groups; DELETE FROM lines',
  );
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
  using database = new DatabaseSync(sandbox.dbPath);
  const lines = database
    .prepare('SELECT code, quantity FROM lines JOIN items ON items.id = itemId ORDER BY lines.id')
    .all()
    .map(({ code, quantity }) => `${code} ${quantity}`);
  return { lines, items: Number(database.prepare('SELECT count(*) AS n FROM items').get()!.n) };
}

async function fileOf(...items: readonly object[]): Promise<string> {
  const lines = items.map((item, at) => ({ quantity: at + 1, item }));
  const groups = [{ deliveryMethod: 'pickup', items: lines }];
  return world.file('p.json', JSON.stringify({ title: 'T', groups }));
}

it.each([
  ['refers to an item that exists', 'Bolt', [], 3],
  ['refers to one with another name if told so', 'Screw', ['--items-in-place', 'reference'], 3],
  ['defines a second one if told so', 'Screw', ['--items-in-place', 'define'], 4],
])('a line that defines an item %s', async (_, name, flags, items) => {
  for (const args of [
    [...CREATE, '--new-item', `code=A-1,name=${name},quantity=1`, ...flags],
    ['requisition', 'create', '--file', await fileOf({ code: 'A-1', name }), ...flags, '--again'],
  ]) {
    const ran = await here(...args);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    const isSecond = items === 4;
    expect(ran.stderr.includes('the catalogue already has')).toBe(!isSecond);
    expect(stored().lines.at(-1)).toBe('A-1 1');
    if (isSecond) return expect(stored().items).toBe(items);
  }
  expect(stored().items).toBe(items);
});

it.each([
  [
    { code: 'A-1', name: 'Screw' },
    'invalid_input',
    '"A-1" is "Bolt"',
    '--items-in-place reference',
  ],
  [{ code: 'T-1', name: 'Nut' }, 'ambiguous_reference', '2 items have the code "T-1"', 'itemId'],
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

it('a new item on two lines must be created first, by the command in the hint', async () => {
  const file = await fileOf({ code: 'N-1', name: 'Rod' }, { code: 'N-1', name: 'Rod' });
  const ran = await here('requisition', 'create', '--file', file);
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  const { command, file: items } = errorOf(ran).details as { command: string; file: string };
  expect(await readFile(items, 'utf8')).toBe('{"name":"Rod","code":"N-1"}\n');
  expect((await here(...command.split(' ').slice(1))).exitCode).toBe(0);
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
  expect(errorOf(ran).code).toBe('repeated_write');
});

it('a dry run shows what would be sent, and says if it cannot look items up', async () => {
  const file = await fileOf({ code: 'A-1', name: 'Bolt' });
  const shown = await here('requisition', 'create', '--file', file, '--dry-run');
  const [line] = JSON.parse(shown.stdout).body.groups[0].items;
  expect(line).toEqual({ quantity: 1, itemId: expect.any(String) });
  const offline = await here('requisition', 'create', '--file', file, '--dry-run', '--offline');
  expect(JSON.parse(offline.stdout).body.groups[0].items[0]).toHaveProperty('item');
  expect(jsonLines(offline.stderr)[0]!.warning).toContain('the catalogue was not read');
});

it('--from treats lines that define items in the same way', async () => {
  const file = await fileOf({ code: 'A-1', name: 'Screw' });
  const from = ['requisition', 'create', '--from', file, '--yes'];
  const refused = await here(...from);
  expect(refused.exitCode).toBe(2);
  expect(errorOf(refused).code).toBe('ambiguous_reference');
  const ran = await here(...from, '--items-in-place', 'reference');
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  expect(stored()).toEqual({ lines: ['A-1 1'], items: 3 });
});

it('warns of a new item whose code is nearly that of an existing item', async () => {
  const file = await fileOf({ code: 'a-1', name: 'Bolt' }, { code: 'N-1', name: 'New' });
  const ran = await here('requisition', 'create', '--file', file, '--yes');
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  expect(ran.stderr).toContain('Unicode form: a-1 and A-1 (existing)');
});
