import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { startPty } from '../support/pty.ts';
import { raw } from '../support/raw-http.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { behaving, startTestSandbox } from '../support/sandbox.ts';

async function here(dialect = ''): Promise<World> {
  const sandbox = await startTestSandbox(behaving(dialect));
  return freshWorld({ PROC_BASE_URL: sandbox.baseUrl });
}

describe('proc api', () => {
  it('prints the response byte for byte', async () => {
    const bytes = Buffer.from([0x7b, 0x7d, 0xff, 0x00, 0x1b, 0x5b, 0x31, 0x6d]);
    await using service = await startHostile((socket) => void socket.write(http(200, bytes)));
    const world = await freshWorld(targetOf(service));
    const file = `${world.cwd}/response.json`;
    expect((await world.run(['api', 'GET', '/x', '--out', file])).exitCode).toBe(0);
    expect(await readFile(file)).toEqual(bytes);
    const piped = await world.shell('"$NODE" "$PROC" api GET /x | cat > piped');
    expect(piped.exitCode).toBe(0);
    expect(await readFile(`${world.cwd}/piped`)).toEqual(bytes);
  });

  it.each(['x.bin', 'x.csv', 'x.txt', 'x'])('writes the bytes to --out %s', async (name) => {
    const bytes = Buffer.from([0x5b, 0x7b, 0x7d, 0x5d, 0xff, 0x00, 0x0d]);
    await using service = await startHostile((socket) => void socket.write(http(200, bytes)));
    const world = await freshWorld(targetOf(service));
    expect(await world.run(['api', 'GET', '/bin', '--out', name])).toMatchObject({ exitCode: 0 });
    expect(await readFile(`${world.cwd}/${name}`)).toEqual(bytes);
  });

  it('renders the content of --out if a format is given', async () => {
    const world = await here();
    const asked = ['api', 'GET', '/sectors/sec-1', '--fields', 'id', '--out'];
    await world.run([...asked, 'x.bin', '-o', 'csv']);
    await world.run([...asked, 'x.csv']);
    for (const name of ['x.bin', 'x.csv']) {
      expect(await readFile(`${world.cwd}/${name}`, 'utf8')).toMatch(/^id\r?\nsec-1\r?\n$/);
    }
    const other = await world.run(['sectors', 'list', '--out', 'x.bin']);
    expect(errorOf(other).message).toContain('the file extension is not a known format');
  });

  it('sanitises a response for a terminal', async () => {
    await using service = await startHostile(
      (socket) => void socket.write(http(200, 'a\u001b[31mb', { 'x-odd': 'c' })),
    );
    const world = await freshWorld(targetOf(service));
    const session = startPty(world, ['api', 'get', '/x', '--include']);
    await session.exited;
    expect(session.text()).toContain('HTTP/1.1 200');
    expect(session.text()).toContain('x-odd: c');
    expect(session.text()).toContain('a\\u001b[31mb');
  });

  it('sends fields in the query of a GET and in the body otherwise', async () => {
    await using service = await startHostile((socket) => void socket.write(http(200, '{}')));
    const world = await freshWorld({ ...targetOf(service), PROC_ENV: 'test' });
    await world.run(['api', 'GET', '/orders/?a=1', '-f', 'b=x y', '-f', 'c=true']);
    await world.run(['api', 'PUT', '/things/1', '-f', 'n=2', '-f', 'z=null']);
    await world.run(['api', 'PATCH', '/things/1', '--input', '-'], {
      input: '{"big":12345678901234567890}',
    });
    expect(service.requests.map(({ line, body }) => [line, body])).toEqual([
      ['GET /api/v1/orders/?a=1&b=x%20y&c=true HTTP/1.1', ''],
      ['PUT /api/v1/things/1 HTTP/1.1', '{"n":"2","z":"null"}'],
      ['PATCH /api/v1/things/1 HTTP/1.1', '{"big":12345678901234567890}'],
    ]);
    expect(service.requests[1]!.headers).toContainEqual(['content-type', 'application/json']);
  });

  it('prints the response to a failed request too, with the exit code of its status', async () => {
    const world = await here();
    const missing = await world.run(['api', 'GET', '/sectors/none', '--include']);
    expect(missing.exitCode).toBe(5);
    expect(missing.stdout).toMatch(/^HTTP\/1\.1 404\n[\s\S]*\n\n\{.*"status":404.*\}$/);
    expect(errorOf(missing)).toMatchObject({ code: 'not_found', status: 404 });
    const file = await world.file('kept.json', 'good');
    expect((await world.run(['api', 'GET', '/sectors/none', '--out', file])).exitCode).toBe(5);
    expect(await readFile(file, 'utf8')).toBe('good');
  });

  it.each([
    [401, 4],
    [403, 4],
    [418, 6],
    [302, 6],
    [500, 7],
  ])('ends a GET answered %i with exit %i', async (status, exitCode) => {
    await using service = await startHostile((socket) => void socket.write(http(status, 'why')));
    const world = await freshWorld(targetOf(service));
    const ran = await world.run(['api', 'GET', '/x', '--retries', '0']);
    expect([ran.exitCode, ran.stdout]).toEqual([exitCode, 'why']);
  });

  it('reads a list to its end in the dialect of its noun', async () => {
    const world = await here('orders.limit=max,orders.page=p,pageBase=0,unknown=refuse');
    const env = { PROC_LIST_NAMES: 'orders.limit=max,orders.page=p,pageBase=0' };
    const ran = await world.run(['api', 'GET', '/orders/', '--paginate', '-o', 'id'], { env });
    expect(ran.exitCode).toBe(0);
    expect(new Set(ran.stdout.trim().split('\n')).size).toBe(500);
    for (const name of ['p', 'max']) {
      const fixed = await world.run(['api', 'GET', `/orders/?${name}=2`, '--paginate'], { env });
      expect(errorOf(fixed).message).toContain(`--paginate sets "${name}" itself`);
    }
  });

  it('reads a list without parameters in one request, and reports an unproved end', async () => {
    const page = http(200, '[{"id":"a"},{"id":"b"}]');
    await using service = await startHostile((socket) => void socket.write(page));
    const world = await freshWorld(targetOf(service));
    for (const path of ['/sectors/', '/requisitions/r/groups/g/items?x=1']) {
      const ran = await world.run(['api', 'GET', path, '--paginate', '-o', 'id']);
      expect(ran).toMatchObject({ exitCode: 0, stdout: 'a\nb\n' });
    }
    expect(service.requests.map(({ line }) => line.split(' ')[1])).toEqual([
      '/api/v1/sectors/',
      '/api/v1/requisitions/r/groups/g/items?x=1',
    ]);
    const unknown = await world.run(['api', 'GET', '/depots/', '--paginate', '-o', 'id']);
    expect(unknown).toMatchObject({ exitCode: 10, stdout: 'a\nb\n' });
    expect(unknown.stderr).toContain('may be incomplete');
  });

  it('confirms, records and refuses to repeat writes like every command', async () => {
    const world = await here();
    const create = ['api', 'POST', '/items/', '-f', 'name=Bolt'];
    const { stdout } = await world.run(create);
    const again = await world.run(create);
    expect([again.exitCode, errorOf(again).code]).toEqual([2, 'repeated_write']);
    const { stdout: history } = await world.run(['history', 'list', '-o', 'json']);
    expect(JSON.parse(history)).toMatchObject([
      { state: 'done', path: '/items/', created: JSON.parse(stdout).id },
    ]);
    const remove = await world.run(['api', 'DELETE', '/sectors/sec-9']);
    expect([remove.exitCode, errorOf(remove).code]).toEqual([2, 'confirmation_required']);
    expect(errorOf(remove).message).toMatch(/^DELETE \/sectors\/sec-9 on .* needs confirmation/);
    expect((await raw(world.env.PROC_BASE_URL!, 'GET', '/sectors/sec-9')).status).toBe(200);
    const agreed = await world.run(['api', 'DELETE', '/sectors/sec-9', '--yes']);
    expect([agreed.exitCode, agreed.stdout]).toEqual([0, '']);
  });

  it('treats a create and a delete outside the contract as final', async () => {
    await using service = await startHostile((socket) => void socket.write(http(200, '{}')));
    const world = await freshWorld(targetOf(service));
    await world.run(['profile', 'add', 'acme', '-e', 'live', '--base-url', service.baseUrl]);
    const remove = await world.run(['api', 'DELETE', '/requisitions/req-1', '-p', 'acme']);
    expect(errorOf(remove)).toMatchObject({ code: 'confirmation_required', exitCode: 2 });
    const session = startPty(world, ['api', 'POST', '/depots/', '-f', 'name=A', '-p', 'acme']);
    await session.waitFor('POST /depots/ on acme · live?');
    session.type('n\r');
    expect(await session.exited).toBe(2);
    expect(service.requests).toEqual([]);
  });

  it('leaves the outcome of a create without an id unknown', async () => {
    await using service = await startHostile((socket) => void socket.write(http(201, '{}')));
    const world = await freshWorld(targetOf(service));
    const ran = await world.run(['api', 'POST', '/items/', '-f', 'name=Bolt']);
    expect([ran.exitCode, ran.stdout]).toEqual([9, '{}']);
    expect((await world.run(['api', 'POST', '/other', '-f', 'name=Bolt'])).exitCode).toBe(0);
  });

  it.each([
    [['GET', '/x', '--input', '-'], 'which has no body'],
    [['POST', '/x', '--input', '-', '-f', 'a=b'], 'both set the body'],
    [['POST', '/x', '--paginate'], 'only with GET'],
    [['BREW', '/x'], 'is not a method: use one of GET'],
    [['GET', '/x', '-f', 'novalue'], 'expected key=value'],
    [['GET', '/x', '-f', 'a=1', '-f', 'a=2'], 'given twice'],
    [['POST', '/x', '--input', 'bad.json'], '--input bad.json: line 1'],
  ])('refuses %j', async (args, said) => {
    const world = await freshWorld({ PROC_BASE_URL: 'http://127.0.0.1:9/api/v1' });
    await world.file('bad.json', '{"a": }');
    const ran = await world.run(['api', ...args], { input: '' });
    expect(ran.exitCode).toBe(2);
    expect(errorOf(ran).message).toContain(said);
  });
});
