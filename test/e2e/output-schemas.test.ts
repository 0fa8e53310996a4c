import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { loadTree } from '../../src/cli/tree.ts';
import { http, startHostile } from '../support/hostile-service.ts';
import { runHere } from '../support/in-process.ts';
import { jsonLines } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { type ShopWorld, sharedShop } from '../support/shop.ts';

const shop = sharedShop(loggedSandbox);
const tree = await loadTree();
const commands = tree.nouns.flatMap((noun) => noun.commands.map(({ path }) => path.join(' ')));

/** Commands that need a terminal or a server of their own. */
const INTERACTIVE = ['requisition wizard', 'requisition draft edit', 'setup', 'sandbox start'];
const TEXTS = ['config path', 'sandbox exec', 'completion'];

const ajv = new Ajv2020({ strict: false });

async function schemaOf(name: string, { env }: ShopWorld): Promise<object> {
  const ran = await runHere(['schema', ...name.split(' '), '--prints'], env);
  expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
  return JSON.parse(ran.stdout) as object;
}

async function check(name: string, value: unknown, world: ShopWorld): Promise<void> {
  const valid = ajv.compile(await schemaOf(name, world));
  const text = JSON.stringify(value);
  expect(valid(value), `${name}: ${ajv.errorsText(valid.errors)}\n${text}`).toBe(true);
}

/** A command line. `{orders list:0.id}` is a value that an earlier line printed. */
type Line = readonly [name: string, words: string, exitCode?: number];

const LINES: readonly Line[] = [
  ['version', ''],
  ['schema', ''],
  ['schema', '--prints'],
  ['schema', '--prints version'],
  ['schema', '--commands'],
  ['orders list', '--limit 3'],
  ['orders find', 'Litware'],
  ['orders get', '{orders list:0.code}'],
  ['orders get', '{orders list:0.id} {orders list:1.id}'],
  ['orders get', 'code=nosuch', 5],
  ['orders wait', '{orders list:0.id} --for status={orders list:0.status}'],
  [
    'orders wait',
    '{orders list:0.id} {orders list:1.id} --any --for status={orders list:0.status}',
  ],
  ['orders changes', '--save daily'],
  ['orders changes', '--since daily'],
  ['orders summary', '--by month'],
  ['items create', '--name Bolt --code B-1'],
  ['items list', '--all'],
  ['items get', 'B-1'],
  ['items find', 'bolt'],
  ['items import', 'more.csv --dry-run'],
  ['items import', 'items.csv --yes'],
  ['items create', '--name Nut --code N-1'],
  ['items create', '--name Nut --code N-1 --again'],
  ['imputations create', '--reference INV-1 --amount 5 --currency USD'],
  ['imputations import', 'imputations.csv --yes --allow missing'],
  ['requisition create', '--title Parts --group name=A,delivery=pickup --item code=B-1,quantity=2'],
  ['requisition import', 'requisitions.ndjson --yes'],
  ['requisition group add', '{requisition create:requisitionId} --name Second'],
  [
    'requisition item add',
    '{requisition create:requisitionId} {requisition group add:id} --item B-1 --quantity 1',
  ],
  ['requisition item list', '{requisition create:requisitionId} {requisition group add:id}'],
  ['requisition list', ''],
  ['requisition show', 'last'],
  [
    'requisition item remove',
    '{requisition create:requisitionId} {requisition group add:id} {requisition item add:id} --yes',
  ],
  [
    'requisition group remove',
    '{requisition create:requisitionId} {requisition group add:id} --yes',
  ],
  ['requisition draft list', ''],
  ['requisition draft show', '{requisition draft list:0.id}'],
  ['requisition draft submit', '{requisition draft list:0.id} --yes'],
  ['requisition draft discard', '{requisition draft list:1.id} --yes'],
  ['sectors list', ''],
  ['sectors get', '{sectors list:0.id}'],
  ['sectors patch', '{sectors list:0.id} --description Changed'],
  ['history list', '--limit 1'],
  ['history undo', '{history list:0.id} --yes'],
  ['sectors delete', '{sectors list:1.id} --yes'],
  ['addresses get', 'adr-1'],
  ['addresses patch', 'adr-1 --city Rosario'],
  ['addresses alias', 'adr-1 plant'],
  ['addresses known', ''],
  ['addresses delete', 'adr-2 --yes'],
  ['imports list', ''],
  ['imports show', '{items import:run}'],
  ['imports rows', '{items import:run}'],
  ['imports report', '{items import:run}'],
  ['imports resume', '{items import:run}'],
  ['items import', 'staged.csv --stage'],
  ['imports show', '{items import:run}'],
  ['imports send', '{items import:run} --yes'],
  ['imports discard', '{imputations import:run} --yes'],
  ['imports prune', '--dry-run'],
  ['imports prune', '--older-than 0s --yes'],
  ['history list', ''],
  ['history show', '{history list:0.id}'],
  ['history export', ''],
  ['history prune', '--dry-run'],
  ['history prune', '--yes'],
  ['profile add', 'acme -e staging --base-url https://staging.example.com/api/v1'],
  ['profile set', 'acme -e staging protected=false'],
  ['profile copy', 'acme other'],
  ['profile list', ''],
  ['profile show', 'acme'],
  ['profile use', 'sandbox'],
  ['profile remove', 'other --yes'],
  ['auth login', '-p acme -e staging --api-key-stdin'],
  ['auth status', ''],
  ['auth logout', '-p acme -e staging'],
  ['config list', ''],
  ['status', '--seen'],
  ['status', ''],
  ['config get', 'output'],
  ['config set', 'lang es'],
  ['config unset', 'lang'],
  ['sandbox status', ''],
  ['sandbox stop', ''],
  ['sandbox reset', ''],
  ['api', 'GET /sectors/'],
  ['doctor', '--quick --rehearse --yes'],
  ['doctor', '--quick'],
  ['completion install', 'bash --dry-run'],
];

/** Lines for a service that fails at every write, so that outcomes are unknown. */
const DOUBTFUL: readonly Line[] = [
  ['items create', '--name Bolt', 9],
  ['imputations import', 'imputations.csv --yes --first-run --allow missing', 9],
  ['imports list', ''],
  ['imports rows', '{imports list:0.run} --state unconfirmed'],
  ['imports resume', '{imports list:0.run} --dry-run'],
  ['imports resolve', '{imports list:0.run} 1 --drop --dry-run'],
  ['imports resolve', '{imports list:0.run} 1 --drop'],
  ['history list', '--state unknown'],
  ['history resolve', '{history list:0.id} --not-applied --dry-run'],
  ['history resolve', '{history list:0.id} --not-applied'],
];

/** Runs the lines in one world and checks their output. Returns the last value of each command. */
async function runAll(lines: readonly Line[], world: ShopWorld): Promise<Map<string, unknown>> {
  const values = new Map<string, unknown>();
  const fill = (words: string): string =>
    words.replace(/\{([^:}]+):([^}]+)\}/g, (_, name: string, path: string) => {
      let value = values.get(name);
      for (const key of path.split('.')) value = (value as Record<string, unknown>)[key];
      return String(value);
    });
  const failed: string[] = [];
  for (const [name, words, exitCode = 0] of lines) {
    try {
      const args = [...name.split(' '), ...fill(words).split(' ')].filter((word) => word !== '');
      const ran = await runHere([...args, '-o', 'json'], world.env, {
        cwd: world.cwd,
        stdin: 'a-key-of-acme\n',
      });
      for (const line of jsonLines(ran.stderr)) {
        const [kind = ''] = Object.keys(line);
        await check(kind === 'progress' || kind === 'http' ? kind : `${kind}s`, line, world);
      }
      expect(ran.exitCode, ran.stderr).toBe(exitCode);
      if (ran.stdout === '') continue;
      const value: unknown = JSON.parse(ran.stdout);
      values.set(name, value);
      await check(name, value, world);
    } catch (thrown) {
      failed.push(`${name} ${words}: ${(thrown as Error).message.slice(0, 600)}`);
    }
  }
  expect(failed).toEqual([]);
  return values;
}

describe('proc schema --prints', () => {
  it('describes what the commands really print', async () => {
    const world = await shop.world();
    const item = { kind: 'new', fields: { name: 'Chain' }, more: [] } as const;
    for (const title of ['One', 'Two']) {
      shop.draft(world, {
        ...{ title, type: null, sector: null, code: null },
        groups: [
          {
            ...{ name: null, deliveryMethod: 'pickup', address: null },
            lines: [{ item, quantity: 1 }],
            isComplete: true,
          },
        ],
      });
    }
    await world.file('items.csv', 'code,name\nI-1,One\nI-2,Two\n');
    await world.file('more.csv', 'code,name\nI-1,One\nI-3,\n');
    await world.file('staged.csv', 'code,name\nI-4,Four\n');
    await world.file('imputations.csv', 'reference,amount\nR-1,5\n');
    await world.file(
      'requisitions.ndjson',
      '{"title":"T","groups":[{"deliveryMethod":"pickup","items":[{"quantity":1,"item":{"name":"Nut"}}]}]}\n',
    );
    const values = await runAll(LINES, world);
    await using failing = await startHostile((socket, { method }) => {
      socket.write(http(method === 'GET' ? 200 : 500, '[]'));
    });
    const elsewhere = await shop.world();
    await elsewhere.file('imputations.csv', 'reference,amount\nR-1,5\n');
    const env = { ...elsewhere.env, PROC_BASE_URL: failing.baseUrl };
    const doubtful = await runAll(DOUBTFUL, { ...elsewhere, env });
    const seen = new Set([...values.keys(), ...doubtful.keys(), ...INTERACTIVE, ...TEXTS]);
    expect(commands.filter((name) => !seen.has(name))).toEqual([]);
  });

  it('describes the request that --dry-run prints', async () => {
    const world = await shop.world();
    const { stdout } = await runHere(['items', 'create', '--name', 'Nut', '--dry-run'], world.env);
    await check('requests', JSON.parse(stdout), world);
  });

  it.each(TEXTS)('says that %s prints text', async (name) => {
    expect(await schemaOf(name, await shop.world())).toMatchObject({ not: {} });
  });

  it('accepts the singular of a noun, and --prints before or after the words', async () => {
    const { env } = await shop.world();
    const whole = await runHere(['schema', '--prints', 'orders', 'list'], env);
    for (const words of ['schema --prints order list', 'schema orders list --prints']) {
      expect(await runHere(words.split(' '), env)).toEqual(whole);
    }
    const { stdout } = await runHere('schema --prints orders list -o yaml'.split(' '), env);
    expect(stdout).toContain('title: proc orders list');
    const formatted = await runHere('schema orders list --output json --prints'.split(' '), env);
    expect(JSON.parse(formatted.stdout)).toEqual(JSON.parse(whole.stdout));
  });

  it('names the nearest command if there is none, and refuses a skeleton', async () => {
    const { env } = await shop.world();
    const wrong = await runHere('schema --prints orders lst'.split(' '), env);
    expect(wrong.exitCode).toBe(2);
    expect(jsonLines(wrong.stderr)[0]!.error).toMatchObject({
      code: 'unknown_command',
      hint: 'Did you mean: proc schema orders list --prints',
    });
    const skeleton = await runHere('schema --prints orders list --skeleton'.split(' '), env);
    expect([skeleton.exitCode, skeleton.stdout]).toEqual([2, '']);
  });
});
