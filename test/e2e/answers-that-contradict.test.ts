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

const record = (body: Body) => ({ id: 'x-1', ...body });

describe('a create is unknown if its answer is not its record, or a refusal is', () => {
  it.each<[string, number, readonly string[], (body: Body) => unknown, 9 | 6]>([
    ['another amount', 201, AMOUNT, (body) => ({ ...record(body), amount: 999999 }), 9],
    ['an error', 201, ITEM, (body) => ({ ...record(body), error: 'not stored' }), 9],
    ['the record', 400, AMOUNT, record, 9],
    ['with other spellings', 409, AMOUNT, (body) => ({ ...record(body), amount: '100.00' }), 9],
    ['in a member', 409, AMOUNT, (body) => ({ message: 'again?', data: record(body) }), 9],
    ['of an item', 422, [...ITEM, '--code', 'B-1'], ({ code }) => ({ id: 7, code }), 9],
    ['of an item without a code', 400, ITEM, record, 9],
    ['by proc api', 404, ['api', 'POST', '/imputations/', '-f', 'amount=5', '--again'], record, 9],
    ['another record', 400, AMOUNT, (body) => ({ ...record(body), reference: 'R-8' }), 6],
    ['without amount', 400, AMOUNT, (body) => ({ ...record(body), amount: undefined }), 6],
    ['no id', 400, AMOUNT, (body) => body, 6],
    ['an error beside it', 400, AMOUNT, (body) => ({ error: 'no', data: record(body) }), 6],
    ['an error in it', 400, AMOUNT, (body) => ({ data: { ...record(body), success: false } }), 6],
    ['a record deeper inside', 400, AMOUNT, (body) => ({ data: { rows: record(body) } }), 6],
    ['an id alone', 400, ITEM, () => ({ id: 'err-1', message: 'no' }), 6],
  ])('%s: %i', async (_, status, argv, answer, exitCode) => {
    await answering(
      answer,
      async (world) => {
        const ran = await world.run([...argv, '--yes']);
        const code = exitCode === 9 ? 'outcome_unknown' : 'refused';
        expect(errorOf(ran)).toMatchObject({ code, exitCode, status });
        expect(ran.stdout === '' || argv[0] === 'api').toBe(true);
        expect(await stateOf(world)).toBe(exitCode === 9 ? 'unknown' : 'rejected');
      },
      undefined,
      status,
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

  it.each([
    [
      'a line that the list of its group has',
      ['item', 'remove', 'r1', 'g1', 'l1'],
      '[{"id":"l1"}]',
      6,
    ],
    ['a line that it lacks', ['item', 'remove', 'r1', 'g1', 'l1'], '[]', 0],
    ['a group with lines', ['group', 'remove', 'r1', 'g1'], '[{"id":"l1"}]', 6],
  ])('%s', async (_, words, rows, exitCode) => {
    await answering(
      () => '{"success":false}',
      async (world) =>
        expect(await world.run(['requisition', ...words])).toMatchObject({ exitCode }),
      () => http(200, rows),
      200,
    );
  });
});

it('a list with an id that is none stops an import', async () => {
  await answering(
    () => '{"id":"x"}',
    async (world) => {
      const file = await world.file('i.csv', 'name,code\nBolt,B-1\n');
      const error = errorOf(await world.run(['items', 'import', file, '--yes']));
      expect(error).toMatchObject({ code: 'catalogue_unverified', exitCode: 2 });
    },
    () => http(200, '[{"id":null,"name":"N","code":"N-1"},{"id":"2","name":"M","code":"N-2"}]'),
  );
});
