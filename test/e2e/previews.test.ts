import { readdir } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startHostile } from '../support/hostile-service.ts';
import { freshWorld, openWorld } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { startTerminal } from '../support/terminal.ts';

const world = await openWorld();

const PAYLOAD = {
  title: `it's "quoted" $HOME \`id\` \\n ñ 🚲`,
  groups: [{ deliveryMethod: 'pickup', items: [{ quantity: 1, itemId: 'i' }] }],
};

/**
 * For each endpoint: command line, standard input and the request. `id=` needs no look-up;
 * reference-table.test.ts tests look-ups.
 */
const CALLS: ReadonlyArray<readonly [readonly string[], unknown, string, unknown]> = [
  [['requisition', 'create', '--file', '-'], PAYLOAD, 'POST /requisitions/', PAYLOAD],
  [
    ['requisition', 'group', 'add', 'r 1', '--name', "o'N"],
    '',
    'POST /requisitions/r%201/groups',
    { name: "o'N" },
  ],
  [
    ['requisition', 'item', 'add', 'r1', 'g1', '--file', '-'],
    { quantity: 2, itemId: 'i' },
    'POST /requisitions/r1/groups/g1/items',
    { quantity: 2, itemId: 'i' },
  ],
  [
    ['requisition', 'item', 'remove', 'r1', 'g1', 'l1'],
    '',
    'DELETE /requisitions/r1/groups/g1/items/l1',
    null,
  ],
  [
    ['imputations', 'create', '--amount', '0.1', '--contract', '@x'],
    '',
    'POST /imputations/',
    { amount: 0.1, contractId: '@x' },
  ],
  [['sectors', 'patch', 'id=s1', '--name', 'a\nb'], '', 'PATCH /sectors/s1', { name: 'a\nb' }],
  [
    ['addresses', 'patch', 'a1', '--latitude', '-31.4'],
    '',
    'PATCH /addresses/a1',
    { latitude: -31.4 },
  ],
];

const input = (given: unknown) => (given === '' ? '' : JSON.stringify(given));

describe.each(CALLS)('%j', (args, given, request, body) => {
  const [method = '', path = ''] = request.split(' ');

  it('--dry-run shows the request, needs no key and sends nothing', async () => {
    await using service = await startHostile(() => undefined);
    const env = { PROC_BASE_URL: service.baseUrl };
    const ran = await world.run([...args, '--dry-run'], { env, input: input(given) });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      dryRun: true,
      method,
      url: `${service.baseUrl}${path}`,
      body,
    });
    expect(service.connections()).toBe(0);
  });
});

it('nothing is stored: no history, no settings', async () => {
  expect(await readdir(world.stateDir).catch(() => [])).toEqual([]);
  expect(await readdir(world.configDir).catch(() => [])).toEqual([]);
});

it('a dry run checks the rules of the contract: exit 2 as usual', async () => {
  const ran = await world.run(['requisition', 'create', '--file', '-', '--dry-run'], {
    input: '{"title":"T","groups":[]}',
  });
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
});

describe('on a terminal, --dry-run shows with names what a write would do', () => {
  it.each([
    ['items create --name Bolt --code B-9', 'create item "Bolt"', ['NAME  Bolt', 'CODE  B-9']],
    [
      'imputations create --order PO-00042 --amount 12',
      'create an imputation of 12 USD for PO-00042 "',
      [/^ORDER ID +PO-00042 "/m, /^CURRENCY +USD/m],
    ],
    ['sectors patch sec-1 --name MTB', 'change name of sector mountain-bikes', ['Bikes → MTB']],
    ['sectors delete sec-1', 'delete sector mountain-bikes "', [/^NAME +Mountain Bikes/m]],
    ['addresses patch adr-1 --city Cerro', 'change city of address adr-1 "', [' → Cerro']],
    ['addresses delete adr-1', 'delete address adr-1 "', [/^CITY +\S/m]],
    [
      'requisition group add REQ --name Shop --address adr-1',
      'add group "Shop" to requisition "Parts"',
      ['ADDRESS ID  adr-1'],
    ],
    ['requisition group remove REQ GRP', 'delete group "Plant" (', []],
    [
      'requisition item add REQ GRP --item N-1 --quantity 7',
      'add 7 × N-1 "Nut" to "Plant" of "Parts"',
      ['"Parts" · "Plant"', /^1 +7 +N-1 +Nut$/m],
    ],
  ])('%s', async (line, sentence, shown) => {
    const { baseUrl } = await startTestSandbox();
    const own = await freshWorld({ PROC_BASE_URL: baseUrl });
    const made = async (words: string) => (await own.run(words.split(' '))).stdout.trim();
    await made('addresses get adr-1');
    await made('items create --code N-1 --name Nut');
    const req = await made('requisition create --title Parts --item N-1=1 --pickup -o id');
    const grp = await made(`requisition group add ${req} --name Plant -o id`);
    const words = line.replace('REQ', req).replace('GRP', grp).split(' ');
    const before = await made('history list -o id');
    const terminal = startTerminal(own, [...words, '--dry-run'], { cols: 120 });
    expect(await terminal.exited).toBe(0);
    const text = stripVTControlCharacters(terminal.text()).replaceAll('\r', '');
    expect(text).toContain(`Dry run, nothing is sent: ${sentence}`);
    for (const one of shown) expect(text).toMatch(one);
    expect(text).toMatch(/^METHOD +(POST|PATCH|DELETE)\nURL +http:/m);
    expect(text).not.toMatch(/BODY|HEADERS|DRY RUN/);
    expect(await made('history list -o id')).toBe(before);
  });
});
