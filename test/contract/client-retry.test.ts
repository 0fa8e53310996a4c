import { describe, expect, it } from 'vitest';
import { http, type Responder, startHostile, targetOf } from '../support/hostile-service.ts';
import { runHere } from '../support/in-process.ts';
import { errorOf, freshWorld, jsonLines } from '../support/run.ts';

const CREATE = ['items', 'create', '--name', 'X'];
const LIST = ['sectors', 'list'];
const OK = (isCreate: boolean) => http(isCreate ? 201 : 200, isCreate ? '{"id":"i"}' : '[]');

async function sendAfter(first: readonly Responder[], args: readonly string[]) {
  await using service = await startHostile((socket, request, nth) => {
    const respond = first[nth - 1];
    if (respond === undefined) socket.write(OK(request.method === 'POST'));
    else respond(socket, request, nth);
  });
  const world = await freshWorld(targetOf(service));
  const ran = await runHere(args, world.env);
  return { ...ran, requests: service.requests };
}

const status =
  (code: number, headers = {}): Responder =>
  (socket) => {
    socket.write(http(code, '', headers));
  };

describe('temporary failures are retried', () => {
  it.each([
    ['429', status(429, { 'retry-after': '0' })],
    ['503 with Retry-After', status(503, { 'retry-after': '0' })],
  ])('a write after %s, with the same body', async (_, respond) => {
    const ran = await sendAfter([respond, respond], CREATE);
    expect(ran.exitCode).toBe(0);
    expect(ran.requests.map(({ body }) => body)).toEqual(Array(3).fill('{"name":"X"}'));
  });

  it('at most --retries times', async () => {
    const many = Array.from({ length: 9 }, () => status(429, { 'retry-after': '0' }));
    for (const [retries, sent] of [
      ['0', 1],
      ['1', 2],
      ['4', 5],
    ] as const) {
      const ran = await sendAfter(many, [...LIST, '--retries', retries]);
      expect(ran.exitCode).toBe(7);
      expect(ran.requests).toHaveLength(sent);
    }
  });

  it('announces each wait, and with -v shows every attempt without the key', async () => {
    const ran = await sendAfter([status(429, { 'retry-after': '1' })], [...LIST, '-v']);
    const lines = jsonLines(ran.stderr);
    expect(lines.flatMap(({ notice }) => notice ?? [])).toEqual([
      'the service returned 429; retrying in 1 s',
    ]);
    expect(lines.flatMap(({ http: line }) => line ?? [])).toMatchObject([
      { method: 'GET', status: 429, attempt: 1, credential: 'api-key ***' },
      { method: 'GET', status: 200, attempt: 2, credential: 'api-key ***' },
    ]);
    expect(ran.stderr).not.toContain('k-1');
  });

  it('fails with the time if it would have to wait longer than a minute', async () => {
    const ran = await sendAfter([status(503, { 'retry-after': '61' })], CREATE);
    expect(ran.exitCode).toBe(7);
    expect(ran.requests).toHaveLength(1);
    expect(errorOf(ran)).toMatchObject({
      code: 'throttled',
      status: 503,
      details: { retryAfterMs: 61_000, until: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
  });
});

describe('a request that was never sent', () => {
  it('if nothing listens: exit 7, for writes too', async () => {
    const service = await startHostile(() => undefined);
    await service.close();
    const world = await freshWorld(targetOf(service));
    for (const args of [LIST, CREATE]) {
      const ran = await runHere([...args, '--retries', '1'], world.env);
      expect(ran).toMatchObject({ exitCode: 7, stdout: '' });
      expect(errorOf(ran)).toMatchObject({
        code: 'unreachable',
        message: expect.stringMatching(/nothing listens/),
        hint: 'Start the sandbox: proc sandbox start',
      });
    }
  });

  it('if the connection is reset before any byte was read: the outcome of a create is unknown', async () => {
    for (const [args, exitCode] of [
      [LIST, 7],
      [CREATE, 9],
    ] as const) {
      await using service = await startHostile(() => undefined, {
        onConnect: (socket) => {
          socket.pause();
          setTimeout(() => socket.resetAndDestroy(), 100);
        },
      });
      const world = await freshWorld(targetOf(service));
      const ran = await runHere([...args, '--retries', '1', '--timeout', '5'], world.env);
      expect(ran).toMatchObject({ exitCode, stdout: '' });
      expect(service.requests).toHaveLength(0);
      expect(service.connections()).toBeLessThanOrEqual(2);
    }
  });
});

describe('the key is sent to its own origin only', () => {
  it.each([302, 303, 307])('a redirect (%i) is not followed', async (code) => {
    await using elsewhere = await startHostile((socket) => {
      socket.write(http(200, '[]'));
    });
    await using service = await startHostile((socket) => {
      socket.write(http(code, '', { location: `${elsewhere.baseUrl}/orders/` }));
    });
    const world = await freshWorld(targetOf(service));
    for (const args of [LIST, CREATE]) {
      const ran = await runHere(args, world.env);
      expect(ran.exitCode).toBe(code === 303 && args === CREATE ? 9 : 6);
      expect(errorOf(ran).message).toMatch(code === 303 && args === CREATE ? /303/ : /redirects/);
    }
    expect(service.requests).toHaveLength(2);
    expect(elsewhere.connections()).toBe(0);
  });

  it('loopback never goes through a proxy', async () => {
    await using proxy = await startHostile((socket) => {
      socket.write(http(200, '[{"id":"from the proxy"}]'));
    });
    await using service = await startHostile((socket) => {
      socket.write(http(200, '[]'));
    });
    const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY'];
    const world = await freshWorld({
      ...targetOf(service),
      ...Object.fromEntries(names.map((name) => [name, proxy.origin])),
    });
    expect(await runHere(LIST, world.env)).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    expect(proxy.connections()).toBe(0);
  });

  it('a proxy that does not listen is distinguished from the service', async () => {
    const proxy = await startHostile(() => undefined);
    await proxy.close();
    const world = await freshWorld({
      PROC_BASE_URL: 'https://procurement.invalid/api/v1',
      PROC_API_KEY: 'k-1',
      HTTPS_PROXY: proxy.origin,
    });
    const ran = await runHere([...LIST, '--retries', '0'], world.env);
    expect(errorOf(ran).message).toContain(`the proxy at 127.0.0.1:${proxy.port} does not respond`);
  });

  it('plain http to another machine: exit 3, nothing is sent, not even through a proxy', async () => {
    await using proxy = await startHostile(() => undefined);
    for (const host of ['procurement.invalid', '192.0.2.1', '127.0.0.1.nip.invalid']) {
      const world = await freshWorld({
        PROC_BASE_URL: `http://${host}/api/v1`,
        PROC_API_KEY: 'k-1',
        HTTP_PROXY: proxy.origin,
      });
      const ran = await runHere(LIST, world.env);
      expect(ran).toMatchObject({ exitCode: 3, stdout: '' });
      expect(errorOf(ran).code).toBe('insecure_url');
    }
    expect(proxy.connections()).toBe(0);
  });
});
