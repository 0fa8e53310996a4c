import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { codes, itemService, rowsOf } from './import-service.ts';

assumeFirstRuns();

const IMPORT = ['imputations', 'import', 'a.csv', '--yes'];

const RUN =
  'run:string state:string noun:string source:string profile:null environment:null baseUrl:string organization:string startedAt:string user:string host:string rows:number created:number existing:number sentBefore:number repeated:number rejected:number unconfirmed:number dropped:number pending:number verified:null seconds:number';

/** A `path:type` for each field. */
function shapeOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? [] : shapeOf(value[0], `${path}[]`);
  if (value === null || typeof value !== 'object')
    return [`${path}:${value === null ? 'null' : typeof value}`];
  const fields = Object.entries(value);
  return fields.flatMap(([key, one]) => shapeOf(one, path === '' ? key : `${path}.${key}`));
}

/** A world with a run of a created, an unconfirmed and a rejected row. */
async function mixed(baseUrl: string): Promise<{ readonly world: World; readonly run: string }> {
  const world = await freshWorld({ PROC_BASE_URL: baseUrl, PROC_API_KEY: 'k' });
  const rows = ['A,6100,1,k', 'LOST,6100,2,k', 'BAD,6100,3,k', ',6100,x,k'];
  await world.file('a.csv', `reference,account,amount,contractId\n${rows.join('\n')}\n`);
  const ran = await world.run(IMPORT);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
  return { world, run: JSON.parse(ran.stdout).run };
}

it('imports rows lists the rows that entered the ledger; list and show count all rows of the file; their JSON has these fields', async () => {
  await using service = await startHostile((socket, { body }) => {
    const { reference } = JSON.parse(body);
    if (reference === 'LOST') socket.write(http(500, '{}'));
    else if (reference === 'BAD') socket.write(http(422, '{"message":"no such account"}'));
    else socket.write(http(201, JSON.stringify({ id: `im-${reference}` })));
  });
  const { world, run } = await mixed(service.baseUrl);
  const rows = async (...flags: string[]) => {
    const ran = await world.run(['imports', 'rows', run, ...flags]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    return ran.stdout;
  };
  const all = JSON.parse(await rows());
  expect(all).toMatchObject([
    { row: 1, line: 2, state: 'created', id: 'im-A', reason: null },
    { row: 2, line: 3, state: 'unconfirmed', id: null, status: 500 },
    { row: 3, line: 4, state: 'rejected', id: null, status: 422 },
  ]);
  expect(all[2].reason).toContain('no such account');
  expect(Date.parse(all[0].sentAt)).toBeGreaterThan(0);
  expect(JSON.parse(await rows('--state', 'unconfirmed'))).toMatchObject([{ row: 2 }]);
  expect(JSON.parse(await rows('--state', 'dropped'))).toEqual([]);
  const where = ['--where', 'state=rejected', '--fields', 'row,line', '-o', 'csv'];
  expect(await rows(...where)).toBe('row,line\r\n3,4\r\n');

  const counts = { rows: 4, created: 1, rejected: 2, unconfirmed: 1, pending: 0, sentBefore: 0 };
  const [listed] = JSON.parse((await world.run(['imports', 'list'])).stdout);
  expect(listed).toMatchObject({ run, ...counts });
  const shown = await world.run(['imports', 'show', run]);
  expect(JSON.parse(shown.stdout)).toMatchObject({ run, ...counts });
  const prune = await world.run(['imports', 'prune', '--dry-run']);
  const shapes = [all, listed, JSON.parse(shown.stdout), JSON.parse(prune.stdout)].map((one) =>
    shapeOf(one).join(' '),
  );
  const mapped = ['reference', 'account', 'amount', 'contractId'];
  const fields = mapped.map((field) => `mapping.fields.${field}.column:string`).join(' ');
  const choices = 'choices.again:boolean choices.sendEqual:boolean choices.exactCodes:boolean';
  const rejected = 'rejectedFile:string';
  const files = 'resultsFile:null digest:string groupBy:null';
  const next = 'next[].command:string next[].why:string';
  expect(shapes).toEqual([
    '[].row:number [].line:number [].state:string [].code:string [].name:null [].id:string [].status:number [].reason:null [].sentAt:string [].reference:string [].account:string [].amount:number [].contractId:string [].currency:null',
    `${RUN} ${rejected} ${next}`,
    `${RUN} ${rejected} ${files} ${fields} ${choices} ${next}`,
    'dryRun:boolean wouldRemove:number kept:number wouldRemoveHistory:number',
  ]);
  // Flags are checked, although nothing is left to send.
  const resumed = await world.run(['imports', 'resume', run, '--rate', 'zz']);
  expect(errorOf(resumed)).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
});

it('a run is named by last, its beginning or its end, and a name that no run has by the nearest', async () => {
  await using service = await itemService(() => undefined);
  const world = await freshWorld(service.target);
  expect(errorOf(await world.run(['imports', 'show'])).message).toBe('there are no import runs');
  await world.file('a.csv', rowsOf(codes(1)));
  await world.run(['items', 'import', 'a.csv', '--yes']);
  await world.file('b.csv', rowsOf(codes(2)));
  const { run } = JSON.parse((await world.run(['items', 'import', 'b.csv', '--yes'])).stdout);
  for (const name of [run, 'last', run.slice(-4)])
    for (const verb of ['show', 'rows', 'report', 'resume']) {
      const flags = verb === 'report' ? ['--out', 'x.html'] : [];
      const ran = await world.run(['imports', verb, name, ...flags]);
      expect(ran, `${verb} ${name}: ${ran.stderr}`).toMatchObject({ exitCode: 0 });
    }
  // The bodies of items that exist are gone; their codes are not.
  const created = await world.run(['imports', 'rows', '--state', 'created', '-q', '[].code']);
  expect(JSON.parse(created.stdout)).toEqual(codes(2).slice(1));
  for (const [typed, hint] of [
    [`${run.slice(0, -1)}x`, `Did you mean ${run}?`],
    ['nothing-like-it', 'List all runs: proc imports list'],
  ] as const) {
    const shown = errorOf(await world.run(['imports', 'show', typed]));
    expect(shown).toMatchObject({ code: 'reference_not_found', hint });
  }
});

it('show, list and page repeat what the run found at its end', async () => {
  await using service = await itemService(
    (code, nth) => {
      if (code === 'TWICE') service.items.push({ id: `other-${nth}`, code, name: 'Row TWICE' });
      return undefined;
    },
    (item) => {
      if (item.code === 'GONE') return undefined;
      return item.code === 'OTHER' ? { ...item, name: 'Something else' } : item;
    },
  );
  const world = await freshWorld(service.target);
  await world.file('a.csv', rowsOf(['A-1', 'GONE', 'TWICE', 'OTHER']));
  const ran = await world.run(['items', 'import', 'a.csv', '--yes', 'PROC_SETTLE=1ms']);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
  const found = {
    verified: false,
    createdNotListed: { count: 1, rows: [{ row: 2, code: 'GONE' }] },
    createdTwice: { count: 1, rows: [{ row: 3, code: 'TWICE', other: 'other-3' }] },
    createdDiffering: { count: 1, rows: [{ row: 4, code: 'OTHER', other: 'Something else' }] },
  };
  expect(JSON.parse(ran.stdout)).toMatchObject(found);
  const shown = await world.run(['imports', 'show']);
  expect(shown, shown.stderr).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(shown.stdout)).toMatchObject(found);
  const [listed] = JSON.parse((await world.run(['imports', 'list', '--limit', '1'])).stdout);
  expect(listed).toMatchObject(found);
  const page = await world.run(['imports', 'report']);
  for (const code of ['GONE', 'TWICE', 'OTHER']) {
    expect(shown.stderr).toContain(code);
    expect(page.stdout).toMatch(new RegExp(`<p>[^<]*${code} \\(`));
  }
});

it('imports prune removes what ended long ago; what was sent stays remembered', async () => {
  await using service = await startHostile((socket, { body }) =>
    socket.write(http(201, JSON.stringify({ id: `im-${JSON.parse(body).reference}` }))),
  );
  const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
  await world.file('a.csv', 'reference,account,amount,contractId\nA,6100,1,k\nB,6100,2,k\n');
  await world.run(IMPORT);
  expect(errorOf(await world.run(['imports', 'prune', '--before', 'later'])).hint).toContain('30d');
  const preview = async (...flags: string[]) =>
    JSON.parse((await world.run(['imports', 'prune', ...flags, '--dry-run'])).stdout);
  const nothing = { wouldRemove: 0, wouldRemoveHistory: 0, kept: 1, next: [] };
  expect(await preview()).toMatchObject(nothing);
  expect(await preview('--before', '1ms')).toMatchObject({
    ...{ wouldRemove: 1, kept: 0 },
    next: [{ command: 'proc imports prune --before 1ms --yes' }],
  });
  const pruned = await world.run(['imports', 'prune', '--before', '1ms', '--yes']);
  expect(pruned, pruned.stderr).toMatchObject({ exitCode: 0 });
  const again = await world.run(IMPORT);
  expect(again, again.stderr).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(again.stdout)).toMatchObject({ created: 0, sentBefore: 2 });
});

it('imports prune gives the space of bodies back, and the end of an import of items too', async () => {
  await using service = await itemService(() => undefined);
  const world = await freshWorld(service.target);
  const kib = () => Math.round(statSync(join(world.stateDir, 'ledger.db')).size / 1024);
  const long = 'x'.repeat(4_000);
  const rows = (row: string) => Array.from({ length: 300 }, (_, n) => `R-${n},${row}\n`).join('');
  await world.file('items.csv', `code,name,description\n${rows(`n,${long}`)}`);
  await world.run(['items', 'import', 'items.csv', '--yes']);
  expect(kib()).toBeLessThan(300);
  await world.file('a.csv', `reference,account,amount,contractId\n${rows(`${long},1,k`)}`);
  const ran = await world.run([...IMPORT, '--key', 'none']);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  expect(kib()).toBeGreaterThan(1_200);
  const pruned = await world.run(['imports', 'prune', 'last', '--yes']);
  expect(pruned, pruned.stderr).toMatchObject({ exitCode: 0 });
  expect(kib()).toBeLessThan(300);
});

it('a run is over, and a pruned run is in no list, also where bodies cannot be removed; a later prune takes them', async () => {
  await using service = await itemService(() => undefined);
  const world = await freshWorld(service.target);
  await world.file('first.csv', rowsOf(codes(1)));
  await world.run(['items', 'import', 'first.csv', '--yes']);
  using ledger = new DatabaseSync(join(world.stateDir, 'ledger.db'));
  ledger.exec(
    "CREATE TRIGGER kept BEFORE DELETE ON bodies BEGIN SELECT RAISE(ABORT, 'disk I/O error'); END",
  );
  await world.file('items.csv', rowsOf(codes(3)));
  const ran = await world.run(['items', 'import', 'items.csv', '--yes', '--results', 'res.csv']);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(ran.stdout)).toMatchObject({ state: 'finished', next: [] });
  expect(existsSync(join(world.cwd, 'res.csv'))).toBe(true);
  const bodies = () => ledger.prepare('SELECT at FROM bodies').all().length;
  expect(bodies()).toBe(2);
  const prune = ['imports', 'prune', '--before', '1ms', '--yes'];
  expect((await world.run(prune)).exitCode).not.toBe(0);
  const list = await world.run(['imports', 'list']);
  expect(list.stdout).not.toContain(JSON.parse(ran.stdout).run);
  ledger.exec('DROP TRIGGER kept');
  expect(bodies()).toBe(2);
  expect(await world.run(prune)).toMatchObject({ exitCode: 0 });
  expect(bodies()).toBe(0);
});
