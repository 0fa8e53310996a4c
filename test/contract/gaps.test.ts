import { describe, expect, it } from 'vitest';
import { commandsOf, NOUNS } from '../../src/registry.ts';
import {
  type HostileService,
  http,
  type Responder,
  startHostile,
} from '../support/hostile-service.ts';
import { runHere } from '../support/in-process.ts';
import { errorOf, freshWorld, jsonLines, type World } from '../support/run.ts';
import { API_TABLE } from './api-table.ts';

/** One test for each gap of test/contract/gaps.md that no other test covers. */

interface Place {
  readonly world: World;
  readonly service: HostileService;
  run(...args: readonly string[]): ReturnType<typeof runHere>;
  bodies(): readonly unknown[];
}

async function against(
  response: Responder | object,
  fn: (place: Place) => Promise<void>,
  status = 200,
): Promise<void> {
  const fixed = http(status, JSON.stringify(response));
  await using service = await startHostile(
    typeof response === 'function' ? (response as Responder) : (socket) => void socket.write(fixed),
  );
  const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k-1' });
  await fn({
    world,
    service,
    run: (...args) => runHere(args, world.env),
    bodies: () => service.requests.map(({ body }) => (body === '' ? undefined : JSON.parse(body))),
  });
}

const CREATE = ['requisition', 'create', '--title', 'T', '--group', 'delivery=pickup'];
const LINE = ['--item', 'id=itm-1,quantity=1'];

describe('fields of a response that the contract does not have', () => {
  it('of a requisition are printed, and proc keeps what was sent', async () => {
    const response = { requisitionId: 'r-1', state: 'new', lines: [1] };
    await against(
      response,
      async ({ run }) => {
        const { stdout } = await run(...CREATE, ...LINE);
        expect(JSON.parse(stdout)).toEqual(response);
        const [kept] = JSON.parse((await run('history', 'list', '-o', 'json')).stdout);
        const shown = JSON.parse((await run('history', 'show', kept.id)).stdout);
        expect(shown.payload).toMatchObject({ title: 'T', groups: [{ items: [{ quantity: 1 }] }] });
      },
      201,
    );
  });

  it('of a group are printed', async () => {
    const response = { id: 'g-1', name: 'A', deliveryMethod: 'drone', depot: { city: 'X' } };
    await against(response, async ({ run }) => {
      const { stdout } = await run('requisition', 'group', 'add', 'r-1', '--name', 'A');
      expect(JSON.parse(stdout)).toEqual(response);
    });
  });

  it('of an order are printed, and any status', async () => {
    const orders = [
      { id: 'o-1', code: 'C', status: 'on hold (again)', approver: 'x' },
      { id: 'o-2', status: 7 },
    ];
    await against(orders, async ({ run }) => {
      expect(JSON.parse((await run('orders', 'list')).stdout)).toEqual(orders);
      const { stdout } = await run('orders', 'list', '--fields', 'approver', '-o', 'csv');
      expect(stdout).toBe('approver\r\nx\r\n""\r\n');
    });
  });
});

describe('a body may omit fields', () => {
  it('an item: any subset from a file, attributes unchanged, a name from flags', async () => {
    let ids = 0;
    const respond: Responder = (socket) =>
      void socket.write(http(201, JSON.stringify({ id: `i-${++ids}` })));
    await against(respond, async ({ world, run, bodies }) => {
      const file = await world.file('i.json', '{"code":"C","attributes":null}');
      const sent = await run('items', 'create', '--file', file, '--again');
      expect(sent.exitCode).toBe(0);
      const deep = await world.file('d.json', '{"name":"B","attributes":{"a":[1,{"b":null}]}}');
      expect((await run('items', 'create', '--file', deep)).exitCode).toBe(0);
      expect(errorOf(await run('items', 'create')).exitCode).toBe(2);
      expect(bodies()).toEqual([
        { code: 'C', attributes: null },
        { name: 'B', attributes: { a: [1, { b: null }] } },
      ]);
    });
  });

  it('an address: any subset, any addressType', async () => {
    await against({ id: 'a-1' }, async ({ run, bodies }) => {
      const { exitCode } = await run('addresses', 'patch', 'a-1', '--address-type', 'moon base');
      expect(exitCode).toBe(0);
      expect(bodies().at(-1)).toEqual({ addressType: 'moon base' });
    });
  });

  it('an imputation: any field, createdAt and updatedAt unchanged', async () => {
    await against({ id: 'imp-1' }, async ({ world, run, bodies }) => {
      const body = { notes: 'n', createdAt: null, updatedAt: 1_700_000_000 };
      const file = await world.file('i.json', JSON.stringify(body));
      expect((await run('imputations', 'create', '--file', file)).exitCode).toBe(0);
      expect(bodies()).toEqual([body]);
    });
  });

  it('an update: only the given fields', async () => {
    await against({ id: 's-1', key: 'k', name: 'new' }, async ({ run, bodies }) => {
      expect((await run('sectors', 'patch', 'id=s-1', '--description', 'd')).exitCode).toBe(0);
      expect(bodies().at(-1)).toEqual({ description: 'd' });
    });
  });

  it('a new item in a group: the body with itemId only', async () => {
    await against({ id: 'l-1' }, async ({ world, run, bodies }) => {
      const add = ['requisition', 'item', 'add', 'r-1', 'g-1'];
      expect((await run(...add, '--quantity', '2')).exitCode).toBe(2);
      const file = await world.file('l.json', '{"quantity":2,"itemId":"i-1","item":{"name":"B"}}');
      const sent = await run(...add, '--file', file);
      expect(jsonLines(sent.stderr)[0]!.warning).toContain('item is not a field of the contract');
      expect(bodies()).toEqual([{ quantity: 2, itemId: 'i-1' }]);
    });
  });
});

describe('a response of the service', () => {
  it.each([200, 201, 204, 226])('with status %i is a success', async (status) => {
    const done = status === 204 ? 'HTTP/1.1 204 Done\r\n\r\n' : http(status, '{"id":"s-1"}');
    const respond: Responder = (socket, { method }) =>
      void socket.write(method === 'GET' ? http(200, '{"id":"s-1"}') : done);
    await against(respond, async ({ run }) => {
      expect((await run('sectors', 'patch', 'id=s-1', '--name', 'n')).exitCode).toBe(0);
      if (status !== 204) expect((await run('items', 'create', '--name', 'B')).exitCode).toBe(0);
    });
  });

  it('to a create without an id leaves the outcome unknown', async () => {
    await against({ ok: true }, async ({ run }) => {
      expect((await run('items', 'create', '--name', 'B')).exitCode).toBe(9);
    });
  });

  it.each([
    ['', 0],
    ['{"deleted":1}', 0],
    ['"gone"', 0],
    ['gone', 9],
    ['<p>ok</p>', 9],
    ['<html><body>Sign in</body></html>', 9],
    ['{"success":false}', 9],
    ['{"error":"in use"}', 9],
  ])(
    'to a DELETE of a group counts if it is empty, or JSON without an error: %j',
    async (body, exitCode) => {
      const respond: Responder = (socket) => void socket.write(http(200, body));
      await against(respond, async ({ run }) => {
        const ran = await run('requisition', 'group', 'remove', 'r-1', 'g-1', '-y');
        expect(ran.exitCode).toBe(exitCode);
        if (exitCode === 0) expect(JSON.parse(ran.stdout)).toEqual({ id: 'g-1', deleted: true });
      });
    },
  );

  it.each([
    [400, 6],
    [404, 5],
    [409, 6],
    [410, 6],
    [422, 6],
    [451, 6],
  ])('with the error %i is classified by its status alone: exit %i', async (status, exitCode) => {
    await against(
      { anything: 'at all' },
      async ({ run }) => {
        const ran = await run('requisition', 'item', 'list', 'r-1', 'g-1');
        expect(errorOf(ran)).toMatchObject({ status, exitCode });
      },
      status,
    );
  });
});

describe('the assumptions of proc', () => {
  const SECTOR = { id: 's-1', key: 'brakes', name: 'Brakes' };

  it('no paging unless needed, newest orders first; the default names, or those of the dialect', async () => {
    await against([{ id: 'a' }, { id: 'b' }], async ({ world, run, service }) => {
      await runHere(['orders', 'list'], world.env, { terminal: true });
      await run('items', 'list', '--limit', '2', '--sort', 'name', '--dir', 'desc');
      const env = { ...world.env, PROC_LIST_NAMES: 'limit=max,offset=skip,orders.limit=n' };
      await runHere(['orders', 'list', '--limit', '2'], env);
      expect(service.requests.map(({ line }) => line.split(' ')[1])).toEqual([
        '/api/v1/orders/?sort=createdAt&dir=desc',
        '/api/v1/items/?limit=2&sort=name&dir=desc',
        '/api/v1/orders/?n=2&sort=createdAt&dir=desc',
      ]);
    });
  });

  it.each([
    ['', 'brakes'],
    ['sectorValue=id', 's-1'],
    ['sectorValue=name', 'Brakes'],
  ])(
    'a sector that is looked up is sent in the form that the dialect %j names',
    async (dialect, value) => {
      let ids = 0;
      const respond: Responder = (socket, { method }) =>
        void socket.write(
          http(200, JSON.stringify(method === 'GET' ? [SECTOR] : { requisitionId: `r-${++ids}` })),
        );
      await against(respond, async ({ world, bodies }) => {
        const env = { ...world.env, PROC_LIST_NAMES: dialect };
        for (const [at, typed] of ['s-1', 'Brakes', 'none'].entries()) {
          const words = [...CREATE, ...LINE, '--sector', typed, '--code', `c-${at}`];
          expect((await runHere(words, env)).exitCode).toBe(0);
        }
        const sent = bodies().filter((body) => body !== undefined) as { sector: string }[];
        expect(sent.map(({ sector }) => sector)).toEqual([value, value, 'none']);
      });
    },
  );

  it('a line from a file with both or neither of itemId and item is sent, with a warning', async () => {
    await against({ requisitionId: 'r-1' }, async ({ world, run, bodies }) => {
      const items = [{ quantity: 1 }, { quantity: 1, itemId: 'i', item: { name: 'B' } }];
      const body = { title: 'T', groups: [{ deliveryMethod: 'pickup', items }] };
      const file = await world.file('r.json', JSON.stringify(body));
      const { exitCode, stderr } = await run('requisition', 'create', '--file', file);
      expect(exitCode).toBe(0);
      const warnings = jsonLines(stderr).flatMap(({ warning }) => warning ?? []);
      expect(warnings.join()).toMatch(/items\[0\].*items\[1\]/);
      expect(bodies()).toEqual([body]);
    });
  });
});

describe('an operation without an endpoint', () => {
  it('has no command', async () => {
    const commands = (await Promise.all(NOUNS.map(commandsOf))).flat();
    const sent = commands.flatMap(({ endpoints = [] }) => endpoints.map(({ id }) => id));
    expect(new Set(sent)).toEqual(new Set(API_TABLE.map(({ id }) => id)));
  });

  it('no command subscribes to events or makes a transition', async () => {
    const specs = (await Promise.all(NOUNS.map(commandsOf))).flat();
    const verbs = specs.flatMap(({ path: [, ...words] }) => words);
    for (const verb of ['approve', 'reject', 'cancel', 'close', 'subscribe', 'listen', 'events']) {
      expect(verbs).not.toContain(verb);
    }
  });

  it('a permanent delete says so, and prints a copy', async () => {
    let isThere = true;
    const respond: Responder = (socket, { method }) => {
      if (method === 'DELETE') isThere = false;
      if (method === 'DELETE') socket.write(http(200));
      else socket.write(isThere ? http(200, '{"id":"s-1","key":"k","name":"N"}') : http(404));
    };
    await against(respond, async ({ run, service }) => {
      const refused = errorOf(await run('sectors', 'delete', 'id=s-1'));
      expect(refused.code).toBe('confirmation_required');
      expect(service.requests).toEqual([]);
      const done = await run('sectors', 'delete', 'id=s-1', '--yes');
      expect(JSON.parse(done.stdout)).toMatchObject({
        id: 's-1',
        was: { id: 's-1', key: 'k', name: 'N' },
      });
    });
  });

  it('a bearer token is sent unchanged', async () => {
    await against([], async ({ world, service }) => {
      const env = { ...world.env, PROC_API_KEY: '', PROC_TOKEN: 'not.a.jwt' };
      expect((await runHere(['sectors', 'list'], env)).exitCode).toBe(0);
      expect(service.requests[0]!.headers).toContainEqual(['authorization', 'Bearer not.a.jwt']);
    });
  });
});

describe('the address of the service', () => {
  it('contains the version, and proc adds nothing to it', async () => {
    await against([], async ({ world, service }) => {
      const env = { ...world.env, PROC_BASE_URL: `${service.origin}/elsewhere/api/v7` };
      expect((await runHere(['sectors', 'list'], env)).exitCode).toBe(0);
      expect(service.requests[0]!.line).toBe('GET /elsewhere/api/v7/sectors/ HTTP/1.1');
    });
  });
});
