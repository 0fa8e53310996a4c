import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { freshWorld, type World } from '../support/run.ts';

assumeFirstRuns();

/** A service that refuses each create with this error body. */
async function refusing(error: object) {
  const service = await startHostile((socket, { method }) => {
    socket.write(method === 'GET' ? http(200, '[]') : http(400, JSON.stringify(error)));
  });
  const here = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k-1' });
  return { here, [Symbol.asyncDispose]: () => service.close() };
}

async function reasonsOf(here: World, args: readonly string[], noun = 'requisition') {
  const ran = await here.run([noun, 'import', ...args, '--yes', '--results', 'all.ndjson']);
  const rows = (await readFile(`${here.cwd}/all.ndjson`, 'utf8')).trim().split('\n');
  const reasons = rows.flatMap((row) => JSON.parse(row).reason ?? []);
  return { ran, reasons };
}

const GROUPED = [
  ...['--group-by', 'Request', '--map', 'title=Request', '--map', 'item.name=Part'],
  ...['--map', 'quantity=Qty', '--set', 'group.deliveryMethod=pickup'],
];
const FLAT = 'Request,Part,Qty\nR-1,Bolt,2\nR-2,Rod,1\nR-1,Nut,7\n';

const PRETTY = `{
  "requests": [
    {
      "title": "First",
      "groups": [
        {
          "deliveryMethod": "pickup",
          "items": [
            { "quantity": 2, "item": { "name": "Bolt" } },
            {
              "item": { "name": "Nut" },
              "quantity": 7
            }
          ]
        }
      ]
    }
  ]
}
`;

it.each([
  [
    'a field',
    { message: 'invalid', errors: [{ field: 'groups[0].items[1].quantity', message: 'too many' }] },
  ],
  ['a pointer', { errors: [{ pointer: '/groups/0/items/1/quantity', message: 'too many' }] }],
])(
  'the cell or line that a refusal names by %s is named as the file has it',
  async (_by, error) => {
    await using flat = await refusing(error);
    await flat.here.file('a.csv', FLAT.replace('R-2,Rod,1\n', ''));
    const table = await reasonsOf(flat.here, ['a.csv', ...GROUPED]);
    expect(table.reasons).toEqual([
      expect.stringMatching(/row 2, line 3, column "Qty": the service says “.*too many.*”$/),
    ]);
    expect(await readFile(`${flat.here.cwd}/a.rejected.csv`, 'utf8')).toContain(
      'row 2, line 3, column ""Qty"": the service says “',
    );
    await using nested = await refusing(error);
    await nested.here.file('a.json', PRETTY);
    const json = await reasonsOf(nested.here, ['a.json', '--path', 'requests']);
    expect(json.reasons).toEqual([
      expect.stringMatching(
        /row 1, line 3: groups\[0\]\.items\[1\]\.quantity: the service says “.*too many.*”$/,
      ),
    ]);
  },
);
