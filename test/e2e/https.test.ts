import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Certificates, makeCertificates } from '../support/certificates.ts';
import { always, http, startHostile, targetOf, tunnelTo } from '../support/hostile-service.ts';
import { errorOf, openWorld, type World } from '../support/run.ts';

let world: World & AsyncDisposable;
let tls: Certificates;

beforeAll(async () => {
  world = await openWorld();
  tls = await makeCertificates(world.folder, ['IP:127.0.0.1', 'DNS:procurement.test']);
});
afterAll(() => world[Symbol.asyncDispose]());

const LIST = ['sectors', 'list', '--retries', '1'];
const respond = always(http(200, '[{"id":"po-1"}]'));

describe('a certificate of an unknown authority', () => {
  it('is refused: exit 7, nothing sent, and the message names the certificate', async () => {
    await using service = await startHostile(respond, { tls });
    for (const env of [{}, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }]) {
      for (const args of [LIST, ['items', 'create', '--name', 'X', '--yes', '-e', 'x']]) {
        const ran = await world.run(args, { env: { ...targetOf(service), ...env } });
        expect(ran).toMatchObject({ exitCode: 7, stdout: '' });
        const error = errorOf(ran);
        expect(error).toMatchObject({ code: 'unreachable', retry: 'never' });
        expect(error.message).toMatch(/certificate is not trusted/);
        expect(error.hint).toContain('PROC_CA_FILE');
      }
    }
    expect(service.requests).toEqual([]);
  });

  it('is accepted with PROC_CA_FILE, and with the caFile of the environment for its address only', async () => {
    await using service = await startHostile(respond, { tls });
    const own = await openWorld();
    try {
      const variable = { ...targetOf(service), PROC_CA_FILE: tls.caFile };
      const ran = await own.run(LIST, { env: variable });
      expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
      expect(JSON.parse(ran.stdout)).toEqual([{ id: 'po-1' }]);
      const add = ['profile', 'add', 'acme', '-e', 'staging', '--base-url', service.baseUrl];
      await own.run([...add, '--api-key-stdin'], { input: 'secret-key-1' });
      expect(await own.run([...LIST, '-p', 'acme'])).toMatchObject({ exitCode: 7 });
      const set = ['profile', 'set', 'acme', '-e', 'staging', `caFile=${tls.caFile}`];
      const stored = await own.run(set);
      expect(stored, stored.stderr).toMatchObject({ exitCode: 0 });
      expect(await own.run([...LIST, '-p', 'acme'])).toMatchObject({ exitCode: 0, stderr: '' });
      const elsewhere = { PROC_BASE_URL: 'https://127.0.0.1:9/api/v1', PROC_API_KEY: 'other' };
      const other = await own.run(LIST, { env: elsewhere });
      expect(errorOf(other)).toMatchObject({ code: 'unreachable', exitCode: 7 });
      const bad = await own.run(['profile', 'set', 'acme', '-e', 'staging', 'caFile=gone.pem']);
      expect(errorOf(bad)).toMatchObject({ exitCode: 3 });
      expect(errorOf(bad).message).toMatch(/gone\.pem does not exist/);
    } finally {
      await own[Symbol.asyncDispose]();
    }
  });

  it.each([
    ['a missing PROC_CA_FILE', 'gone.pem', /gone\.pem does not exist/],
    ['one that is no certificate', 'noise.pem', /noise\.pem/],
  ])('%s: exit 3, nothing sent', async (_, name, says) => {
    await world.file('noise.pem', 'not a certificate');
    await using service = await startHostile(respond, { tls });
    const ran = await world.run(LIST, { env: { ...targetOf(service), PROC_CA_FILE: name } });
    expect(ran).toMatchObject({ exitCode: 3, stdout: '' });
    expect(errorOf(ran).message).toMatch(says);
    expect(service.connections()).toBe(0);
  });
});

describe('addresses that speak another protocol', () => {
  it('https to a plain http port: exit 7, nothing sent', async () => {
    await using service = await startHostile(respond, {
      onConnect: (socket) => socket.once('data', () => socket.end(http(400))),
    });
    const env = { ...targetOf(service), PROC_BASE_URL: service.baseUrl.replace('http', 'https') };
    const ran = await world.run(LIST, { env });
    expect(ran).toMatchObject({ exitCode: 7, stdout: '' });
    expect(errorOf(ran).message).toMatch(/the TLS handshake failed/);
    expect(errorOf(ran).message).not.toMatch(/:error:|\.c:\d+/);
  });
});

describe('through a proxy', () => {
  it('the tunnel carries TLS to the service itself; the proxy sees neither key nor path', async () => {
    await using service = await startHostile(respond, { tls });
    await using proxy = await startHostile(tunnelTo(service.port));
    const ran = await world.run(LIST, {
      env: {
        PROC_CA_FILE: tls.caFile,
        PROC_BASE_URL: 'https://procurement.test/api/v1',
        PROC_API_KEY: 'canary-1',
        HTTPS_PROXY: proxy.origin,
      },
    });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toEqual([{ id: 'po-1' }]);
    expect(proxy.requests.map(({ line }) => line)).toEqual([
      'CONNECT procurement.test:443 HTTP/1.1',
    ]);
    expect(JSON.stringify(proxy.requests)).not.toContain('canary-1');
    expect(service.requests.map(({ headers }) => Object.fromEntries(headers))).toMatchObject([
      { 'x-api-key': 'canary-1', host: 'procurement.test' },
    ]);
  });

  it('NO_PROXY names hosts that are reached directly', async () => {
    await using proxy = await startHostile(() => undefined);
    const ran = await world.run(['orders', 'list', '--retries', '0'], {
      env: {
        PROC_BASE_URL: 'https://procurement.invalid/api/v1',
        PROC_API_KEY: 'k-1',
        HTTPS_PROXY: proxy.origin,
        NO_PROXY: 'other.test,.invalid',
      },
    });
    expect(ran.exitCode).toBe(7);
    expect(proxy.connections()).toBe(0);
  });
});
