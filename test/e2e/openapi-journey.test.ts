import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../src/nouns/endpoints.ts';
import { freshWorld, type World } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { type OpenApiDocument, startValidatingProxy } from '../support/validating-proxy.ts';

/** A day of work that uses every endpoint. `$2` is the id that line 2 (from 0) printed. */
const JOURNEY: readonly string[] = [
  'items create --name Bolt --code B-1 -o id',
  'items import items.csv --yes',
  'requisition create --title Parts --group name=Plant,delivery=delivery,address=adr-1 --item code=B-1,quantity=2 -o id',
  'requisition group add $2 --name Hall --address adr-2 -o id',
  'requisition item add $2 $3 --item code=B-1 --quantity 3 -o id',
  'requisition item list $2 $3',
  'requisition item remove $2 $3 $4 --yes',
  'requisition group remove $2 $3 --yes',
  'orders list --sort code --dir desc --limit 3',
  'orders list --all',
  'items list --all --sort name',
  'imputations create --reference R-1 --account 4711 --order po-1 --amount 12.5 --currency EUR --notes x',
  'sectors list',
  'sectors get sec-1',
  'sectors patch sec-1 --name Bikes --yes',
  'sectors delete sec-2 --yes',
  'addresses get adr-1',
  'addresses patch adr-1 --city Lima --yes',
  'addresses delete adr-3 --yes',
  'doctor --quick',
];

async function walk(world: World, lines: readonly string[]): Promise<void> {
  const printed: string[] = [];
  for (const line of lines) {
    const words = line
      .split(' ')
      .map((word) => (word.startsWith('$') ? printed[+word.slice(1)]! : word));
    const ran = await world.run(words);
    expect(ran.exitCode, `${line}\n${ran.stderr}`).toBe(0);
    printed.push(ran.stdout.trim());
  }
}

async function worldOf(dialect: string) {
  const sandbox = await startTestSandbox({ dialect });
  const world = await freshWorld({ PROC_API_KEY: 'proc-sandbox-key', PROC_DIALECT: dialect });
  await world.file('items.csv', 'name,code\nNut,N-1\nPin,P-1\n');
  const { stdout } = await world.run(['schema', '--openapi']);
  return { sandbox, world, document: JSON.parse(stdout) as OpenApiDocument };
}

describe('a journey through a proxy that validates against proc schema --openapi', () => {
  it.each([
    '',
    'limit=pageSize,offset=skip,items.limit=max',
    'page=page,pageBase=0',
    'paging=none',
  ])('with the dialect "%s"', async (dialect) => {
    const { sandbox, world, document } = await worldOf(dialect);
    await using proxy = await startValidatingProxy(document, sandbox.baseUrl);
    const env = { ...world.env, PROC_BASE_URL: proxy.baseUrl };
    const lines = JOURNEY.filter((line) => dialect !== 'paging=none' || !line.includes('--limit'));
    await walk({ ...world, run: (args) => world.run(args, { env }) }, lines);
    expect(proxy.violations).toEqual([]);
    expect([...proxy.called].sort()).toEqual(ENDPOINTS.map(({ id }) => id).sort());
  });

  it('finds responses that the contract does not state', async () => {
    const sandbox = await startTestSandbox({ habits: 'absent=null' });
    const world = await freshWorld({ PROC_API_KEY: 'proc-sandbox-key' });
    const document = JSON.parse((await world.run(['schema', '--openapi'])).stdout);
    await using proxy = await startValidatingProxy(document, sandbox.baseUrl);
    const env = { PROC_BASE_URL: proxy.baseUrl };
    await world.run(['items', 'create', '--name', 'Bolt'], { env });
    await world.run(['orders', 'list', '--limit', '20'], {
      env: { ...env, PROC_DIALECT: 'limit=max' },
    });
    expect(proxy.violations).toEqual([
      expect.stringContaining('POST /items/ response 201: data/code must be string'),
      expect.stringContaining('GET /orders/: unknown parameter max'),
    ]);
  });
});

describe('a field without a value', () => {
  const created = async (habits: string) => {
    const { baseUrl } = await startTestSandbox({ habits });
    const world = await freshWorld({ PROC_BASE_URL: baseUrl, PROC_API_KEY: 'proc-sandbox-key' });
    const one = JSON.parse((await world.run(['items', 'create', '--name', 'Bolt'])).stdout);
    const [listed] = JSON.parse((await world.run(['items', 'list'])).stdout);
    const words = 'imputations create --reference R --order po-1'.split(' ');
    const imputation = JSON.parse((await world.run(words)).stdout);
    return { one, listed, imputation };
  };

  it('is left out of responses', async () => {
    const item = { id: 'itm-1', name: 'Bolt' };
    const imputation = { id: 'imp-1', reference: 'R', orderId: 'po-1' };
    expect(await created('')).toEqual({ one: item, listed: item, imputation });
  });

  it('is null or empty with another habit', async () => {
    const item = { id: 'itm-1', name: 'Bolt', code: null };
    expect(await created('absent=null')).toMatchObject({
      one: item,
      listed: item,
      imputation: { account: null, amount: null },
    });
    const { one, imputation } = await created('absent=empty');
    expect(one).toEqual({ ...item, code: '' });
    expect(imputation).toEqual({
      ...{ id: 'imp-1', reference: 'R', orderId: 'po-1', account: '', currency: '' },
    });
  });
});
