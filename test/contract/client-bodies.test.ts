import { describe, expect, it } from 'vitest';
import {
  always,
  endless,
  http,
  type Responder,
  startHostile,
  targetOf,
} from '../support/hostile-service.ts';
import { runHere } from '../support/in-process.ts';
import { errorOf, freshWorld, type Ran } from '../support/run.ts';

async function ask(respond: Responder, ...args: readonly string[]): Promise<Ran> {
  await using service = await startHostile(respond);
  const world = await freshWorld(targetOf(service));
  return await runHere([...args, '--retries', '0'], world.env);
}

const list = (body: string | Buffer, headers = {}) =>
  ask(always(http(200, body, headers)), 'sectors', 'list');

describe('valid responses', () => {
  it.each([
    ['rows that miss fields', '[{"id":"a"},{"code":"b"},{}]'],
    ['null in every field', '[{"id":null,"code":null,"amount":null}]'],
    ['fields of other types', '[{"id":7,"amount":"12","code":["x"]}]'],
    ['unknown fields', '[{"id":"a","somethingNew":{"deep":[1,2]}}]'],
    ['no rows', '[]'],
    ['rows with space between', ' \r\n[ {"id" : "a"} ,\n\t{"id":"b"} ] \n'],
  ])('%s', async (_, body) => {
    const ran = await list(body);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toEqual(JSON.parse(body));
  });

  it('a byte order mark before the list', async () => {
    const ran = await list('\uFEFF[{"id":"a"}]');
    expect(JSON.parse(ran.stdout)).toEqual([{ id: 'a' }]);
  });

  it.each(['text/plain', 'application/octet-stream', 'text/html', ''])(
    'valid JSON as "%s"',
    async (type) => {
      const ran = await list('[{"id":"a"}]', { 'content-type': type });
      expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    },
  );

  it('numbers that a double would round keep all digits', async () => {
    const ran = await list('[{"id":12345678901234567890,"amount":0.12345678901234567890}]');
    expect(ran.stdout).toContain('12345678901234567890');
    expect(ran.stdout).toContain('0.12345678901234567890');
  });

  it.each(['7', '12345678901234567890'])(
    'a record with the number %s as id is found',
    async (id) => {
      const row = `{"id":${id},"code":"A-1","name":"Bolt"}`;
      await using service = await startHostile(always(http(200, `[${row}]`)));
      const world = await freshWorld({ ...targetOf(service), PROC_LIST_NAMES: 'paging=none' });
      for (const ref of ['code=A-1', `id=${id}`, 'Bolt']) {
        const ran = await runHere(['items', 'get', ref, '-o', 'id'], world.env);
        expect(ran).toMatchObject({ exitCode: 0, stdout: `${id}\n` });
      }
      const wait = ['orders', 'wait', 'code=A-1', '--for', 'name=Bolt', '-o', 'id'];
      expect(await runHere(wait, world.env)).toMatchObject({ exitCode: 0, stdout: `${id}\n` });
      const line = ['requisition', 'item', 'add', 'req-1', 'grp-1', '--item', 'A-1'];
      const ran = await runHere([...line, '--quantity', '4', '--dry-run'], world.env);
      expect(JSON.parse(ran.stdout).body).toMatchObject({ itemId: id });
    },
  );

  it('a field named __proto__ sets only that field', async () => {
    const ran = await list('[{"id":"a","__proto__":{"amount":9}}]');
    expect(ran.stdout).toContain('"__proto__"');
    const table = await ask(
      always(http(200, '[{"id":"a","__proto__":{"name":"polluted"}}]')),
      'sectors',
      'list',
      '-o',
      'table',
    );
    expect(table.stdout).not.toContain('polluted');
  });

  it('a list of more than 16 MiB', async () => {
    const row = JSON.stringify({ id: 'x', title: 'y'.repeat(100_000) });
    const ran = await ask(
      always(http(200, `[${Array(200).fill(row).join(',')}]`)),
      'sectors',
      'list',
      '-o',
      'id',
    );
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toBe('x\n'.repeat(200));
  });
});

describe('responses that are too large', () => {
  it.each([
    ['a record', ['sectors', 'get', 'id=s1'], 7],
    ['the response to a create', ['items', 'create', '--name', 'X'], 9],
  ] as const)('%s of more than 16 MiB', async (_, args, exitCode) => {
    const ran = await ask(endless('x', '{"id":"'), ...args);
    expect(ran).toMatchObject({ exitCode, stdout: '' });
    expect(errorOf(ran).message).toContain('16 MiB');
  });
});

describe('responses that are nested too deep', () => {
  const deep = (open: string, close: string) => open.repeat(30_000) + close.repeat(30_000);

  it.each([
    ['sectors get', ['sectors', 'get', 's1'], 7],
    ['items create', ['items', 'create', '--name', 'X'], 9],
  ] as const)('%s', async (_, args, exitCode) => {
    const ran = await ask(always(http(200, deep('{"id":', '}').replace('}', '1}'))), ...args);
    expect(ran).toMatchObject({ exitCode, stdout: '' });
  });

  it('an error body', async () => {
    for (const body of [deep('[', ']'), deep('{"error":', '}').replace('}', '1}')]) {
      const ran = await ask(always(http(400, body)), 'items', 'create', '--name', 'X');
      expect(ran).toMatchObject({ exitCode: 6, stdout: '' });
    }
  });
});

describe('error bodies', () => {
  const refusedWith = async (body: string, headers = {}) =>
    errorOf(await ask(always(http(422, body, headers)), 'items', 'create', '--name', 'X'));

  it.each([
    ['RFC 9457', '{"type":"about:blank","title":"Bad","detail":"name is taken"}', 'name is taken'],
    ['{message}', '{"message":"name is taken"}', 'name is taken'],
    ['{error}', '{"error":"name is taken"}', 'name is taken'],
    ['{error: {message}}', '{"error":{"code":7,"message":"name is taken"}}', 'name is taken'],
    [
      '{message: […]}',
      '{"statusCode":422,"message":["a is bad","b is bad"]}',
      'a is bad; b is bad',
    ],
    ['{errors: […]}', '{"errors":[{"field":"name","message":"is taken"}]}', 'name: is taken'],
    ['{errors: {…}}', '{"errors":{"name":["is taken","is odd"]}}', 'name: is taken; name: is odd'],
    ['an array', '[{"path":["a","b"],"message":"is taken"}]', 'a.b: is taken'],
    ['an array of texts', '["one","two"]', 'one; two'],
    ['a JSON text', '"name is taken"', 'name is taken'],
    ['text', 'name is taken\n', 'name is taken'],
    ['HTML', '<title>422</title><h1>Name taken</h1>', 'an HTML page: 422'],
    ['HTML without a title', '<!doctype html><p>x', 'an HTML page'],
    ['JSON that says nothing', '{"code":7}', '{"code":7}'],
    ['broken JSON', '{"message":"name', '{"message":"name'],
  ])('%s', async (_, body, message) => {
    expect((await refusedWith(body)).message).toMatch(/\(422\)/);
    expect((await refusedWith(body)).message).toContain(`: ${message}`);
  });

  it('an empty one leaves only the status to report', async () => {
    expect((await refusedWith('')).message).toMatch(/refused the request \(422\)$/);
  });

  it('a long one is shortened', async () => {
    const { message } = await refusedWith(`{"message":"${'long '.repeat(5000)}"}`);
    expect(message.length).toBeLessThan(700);
    expect(message).toMatch(/…$/);
  });

  it('its request id and issues are available to scripts', async () => {
    const error = await refusedWith('{"errors":[{"field":"name","message":"is taken"}]}', {
      'x-request-id': 'req-77',
    });
    expect(error).toMatchObject({
      status: 422,
      requestId: 'req-77',
      details: { issues: [{ field: 'name', message: 'is taken' }] },
    });
  });

  it.each(['json', 'table'])(
    'control characters never reach a terminal raw (%s)',
    async (format) => {
      const evil = 'a\u001b[2Jb\u0007c\u009bd\u202ee\u2066f\u007fg\rh';
      for (const body of [JSON.stringify({ message: evil }), evil, `<title>${evil}</title>`]) {
        const ran = await ask(
          always(http(400, body, { 'x-request-id': 'r\u009b2J' })),
          'sectors',
          'get',
          's1',
          '-o',
          format,
        );
        expect(ran.exitCode).toBe(6);
        expect(ran.stderr.replaceAll('\n', '')).not.toMatch(
          /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
        );
        expect(ran.stderr).toContain('\\u001b');
      }
    },
  );
});
