import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { listed, shown } from '../support/history.ts';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, openWorld, type World } from '../support/run.ts';

assumeFirstRuns();

type Body = Readonly<Record<string, unknown>>;

/** A service that answers every write with 2xx and a body of its own. */
async function answering(
  answer: (body: Body, line: string) => unknown,
  work: (world: World, requests: () => readonly string[]) => Promise<void>,
  read: (line: string, writes: number) => Buffer | string = () => http(200, '[]'),
  status = 201,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  let writes = 0;
  await using service = await startHostile((socket, { method, line, body }) => {
    if (method === 'GET') {
      socket.write(read(line, writes));
      return;
    }
    writes++;
    const given = answer(body === '' ? {} : JSON.parse(body), line);
    const text = typeof given === 'string' ? given : JSON.stringify(given);
    socket.write(http(status, text, headers));
  });
  await using world = await openWorld(targetOf(service));
  await work(world, () => service.requests.map(({ line }) => line.split(' HTTP')[0]!));
}

async function stateOf(world: World) {
  const [entry] = await listed(world);
  return (await shown(world, entry!.id)).state;
}

const IMPUTATION = ['imputations', 'create', '--reference', 'R-7', '--order', 'id=o1'];
const AMOUNT = [...IMPUTATION, '--amount', '100', '--currency', 'USD', '--account', '4010'];
const ITEM = ['items', 'create', '--name', 'Bolt', '--again'];
const LINE = ['requisition', 'item', 'add', 'r1', 'g1', '--item', 'id=i1', '--quantity', '5'];

describe('a create whose answer contradicts the request is unconfirmed', () => {
  it.each<[string, readonly string[], Body, RegExp]>([
    ['another amount', AMOUNT, { amount: 999999 }, /amount was sent as 100, but is 999999/],
    ['an amount as text', AMOUNT, { amount: '100.5' }, /amount was sent as 100/],
    ['another currency', AMOUNT, { currency: 'EUR' }, /currency/],
    ['another quantity', LINE, { quantity: 500 }, /quantity was sent as 5, but is 500/],
    ['an error', ITEM, { error: 'not stored' }, /not stored/],
    ['success: false', ITEM, { success: false }, /success: false/],
  ])('%s', async (_, argv, wrong, says) => {
    await answering(
      (body) => ({ id: 'x-1', ...body, ...wrong }),
      async (world) => {
        const ran = await world.run([...argv, '--yes']);
        const error = errorOf(ran);
        expect(error).toMatchObject({ code: 'outcome_unknown', exitCode: 9, status: 201 });
        expect(error.message).toMatch(says);
        expect(ran.stdout).toBe('');
        expect(await stateOf(world)).toBe('unknown');
      },
    );
  });
});

describe('a refusal that carries the record itself leaves the outcome unknown', () => {
  const record = (body: Body) => ({ id: 'x-1', ...body });

  it.each<[string, number, readonly string[], (body: Body) => unknown]>([
    ['the record', 400, AMOUNT, record],
    ['with other spellings', 409, AMOUNT, (body) => ({ ...record(body), amount: '100.00' })],
    ['in a member', 409, AMOUNT, (body) => ({ message: 'again?', data: record(body) })],
    ['of an item', 422, [...ITEM, '--code', 'B-1'], ({ code }) => ({ id: 7, code })],
    ['of an item without a code', 400, ITEM, record],
    ['by proc api', 404, ['api', 'POST', '/imputations/', '-f', 'amount=5', '--again'], record],
  ])('%s: %i', async (_, status, argv, answer) => {
    await answering(
      answer,
      async (world) => {
        const ran = await world.run([...argv, '--yes']);
        expect(errorOf(ran)).toMatchObject({ code: 'outcome_unknown', exitCode: 9, status });
        expect(errorOf(ran).message).toContain('with the record');
        expect(await stateOf(world)).toBe('unknown');
      },
      undefined,
      status,
    );
  });

  it.each<[string, readonly string[], (body: Body) => unknown]>([
    ['another record', AMOUNT, (body) => ({ ...record(body), reference: 'R-8' })],
    ['a record without the amount', AMOUNT, (body) => ({ ...record(body), amount: undefined })],
    ['no id', AMOUNT, (body) => body],
    ['an error beside it', AMOUNT, (body) => ({ error: 'no', data: record(body) })],
    ['an error in it', AMOUNT, (body) => ({ data: { ...record(body), success: false } })],
    ['a record deeper inside', AMOUNT, (body) => ({ data: { rows: record(body) } })],
    ['an id alone', ITEM, () => ({ id: 'err-1', message: 'no' })],
  ])('%s is a refusal', async (_, argv, answer) => {
    await answering(
      answer,
      async (world) => {
        expect(errorOf(await world.run([...argv, '--yes'])).exitCode).toBe(6);
        expect(await stateOf(world)).toBe('rejected');
      },
      undefined,
      400,
    );
  });

  it.each([
    ['items', ['PROC_SETTLE=20ms'], 'code,name\nA-1,Bolt\n', 0, { created: 1 }],
    [
      ...([
        'imputations',
        ['--first-run'],
        'reference,amount,account,contractId\nF-1,5,4010,c1\n',
      ] as const),
      ...([9, { created: 0, unconfirmed: 1 }] as const),
    ],
  ] as const)('a row of %s is unconfirmed, and looked up where there is a list', async (...row) => {
    const [noun, flags, rows, exitCode, counts] = row;
    const stored: Body[] = [];
    await answering(
      (body) => {
        const own = { id: `x-${stored.length + 1}`, ...body };
        stored.push(own);
        return own;
      },
      async (world) => {
        const file = await world.file('rows.csv', rows);
        const ran = await world.run([noun, 'import', file, '--yes', ...flags]);
        expect(ran, ran.stderr).toMatchObject({ exitCode });
        expect(JSON.parse(ran.stdout)).toMatchObject({ ...counts, rejected: 0 });
      },
      () => http(200, JSON.stringify(stored)),
      400,
    );
  });
});

describe('a delete is done by a 2xx, or else if a read says so', () => {
  const RECORD = { id: 's1', key: 'k', name: 'N', description: 'd', city: 'c' };
  const DELETES = [
    ['sectors', 'delete', 'id=s1', '--yes'],
    ['addresses', 'delete', 'id=s1', '--yes'],
  ];
  const there = http(200, JSON.stringify(RECORD));
  const PAGE = '<html><head><title>Portal</title></head><body>Sign in</body></html>';

  it.each<[string, number, string, number, string, number]>([
    ['gone', 200, '{"success":false}', 404, '', 0],
    ['gone', 200, PAGE, 404, '', 0],
    ['gone', 202, '', 410, '', 0],
    ['gone', 504, '', 404, '', 0],
    ['there', 200, '', 200, '', 0],
    ['there', 204, '', 200, '', 0],
    ['there', 200, '{"success":false}', 200, '', 6],
    ['there', 200, PAGE, 200, '', 9],
    ['there', 202, '', 200, '', 9],
    ['there', 500, '', 200, '', 9],
    ['unreadable', 200, '{"success":false}', 403, '', 9],
    ['unreadable', 202, '', 500, '', 9],
    ['unreadable', 200, PAGE, 404, PAGE, 9],
    ['unreadable', 200, PAGE, 200, PAGE, 9],
  ])('it is %s after %i %s: %i %s → exit %i', async (_, status, answer, after, body, exitCode) => {
    for (const argv of DELETES) {
      await answering(
        () => answer,
        async (world) => {
          const ran = await world.run([...argv, '--retries', '0']);
          expect({ ...ran, code: ran.exitCode }).toMatchObject({ code: exitCode });
          const state = exitCode === 0 ? 'done' : exitCode === 6 ? 'rejected' : 'unknown';
          expect(await stateOf(world)).toBe(state);
          if (exitCode !== 0) expect(ran.stdout).not.toContain('"deleted"');
        },
        (_line, writes) =>
          writes === 0 ? there : after === 200 && body === '' ? there : http(after, body),
        status,
      );
    }
  });

  it('a line is gone when the list of its group lacks it', async () => {
    const remove = ['requisition', 'item', 'remove', 'r1', 'g1', 'l1'];
    for (const [rows, exitCode] of [
      ['[{"id":"l1"}]', 6],
      ['[]', 0],
    ] as const) {
      await answering(
        () => '{"success":false}',
        async (world) => expect((await world.run(remove)).exitCode).toBe(exitCode),
        () => http(200, rows),
        200,
      );
    }
  });

  it('a group is not removed while it has lines', async () => {
    await answering(
      () => '{"success":false}',
      async (world) =>
        expect((await world.run(['requisition', 'group', 'remove', 'r1', 'g1'])).exitCode).toBe(6),
      () => http(200, '[{"id":"l1"}]'),
      200,
    );
  });
});

describe('ids', () => {
  it.each([
    ['{"$oid":"5"}', 'an object'],
    ['null', 'null'],
    ['""', '""'],
  ])('a list with the id %s stops an import, which names it', async (id, what) => {
    await answering(
      () => '{"id":"x"}',
      async (world) => {
        const file = await world.file('i.csv', 'name,code\nBolt,B-1\n');
        const error = errorOf(await world.run(['items', 'import', file, '--yes']));
        expect(error).toMatchObject({ code: 'catalogue_unverified', exitCode: 2 });
        expect(error.message).toContain(
          `a row of the list has no usable id: it is ${what}`.slice(1),
        );
      },
      () => http(200, `[{"id":${id},"name":"N","code":"N-1"},{"id":"2","name":"M","code":"N-2"}]`),
    );
  });
});

describe('a compressed answer', () => {
  const gzip = { 'content-encoding': 'gzip' };

  it('that grows beyond the limit, or is cut, is refused', async () => {
    const bomb = gzipSync(Buffer.alloc(65 << 20, ' '));
    for (const [bytes, says] of [
      [bomb, /cannot be decompressed/],
      [bomb.subarray(0, 200), /cannot be decompressed/],
    ] as const) {
      await using service = await startHostile((socket) => socket.write(http(200, bytes, gzip)));
      await using world = await openWorld(targetOf(service));
      for (const argv of [
        ['sectors', 'list'],
        ['sectors', 'get', 'id=s1'],
      ]) {
        const error = errorOf(await world.run([...argv, '--retries', '0']));
        expect(error).toMatchObject({ code: 'undecodable', exitCode: 7 });
        expect(error.message).toMatch(says);
      }
    }
  });
});
