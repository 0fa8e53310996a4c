import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Authority, type Issued, makeAuthority } from '../support/certificates.ts';
import {
  always,
  established,
  http,
  joined,
  startHostile,
  tunnelTo,
} from '../support/hostile-service.ts';
import { errorOf, freshWorld, openWorld, type World } from '../support/run.ts';

let place: World & AsyncDisposable;
let authority: Authority;
let service: Issued;

beforeAll(async () => {
  place = await openWorld();
  authority = await makeAuthority(place.folder);
  const hosts = ['IP:127.0.0.1', 'DNS:procurement.test'];
  service = await authority.issue({ name: 'service', hosts });
});
afterAll(() => place[Symbol.asyncDispose]());

const LIST = ['sectors', 'list', '--retries', '1'];
const CREATE = ['items', 'create', '--name', 'Bolt', '--yes', '-e', 'x', '--retries', '2'];
const respond = always(http(200, '[{"id":"po-1"}]'));
const created = always(http(201, '{"id":"it-1","name":"Bolt"}'));

const targetOf = ({ baseUrl }: { readonly baseUrl: string }, file?: string) => ({
  PROC_BASE_URL: baseUrl,
  PROC_API_KEY: 'k-1',
  ...(file === undefined ? {} : { SSL_CERT_FILE: file }),
});

describe('a private authority in the certificate store of the system', () => {
  it('needs no flag: a read is sent once, after one failed verification', async () => {
    const world = await freshWorld();
    await using server = await startHostile(respond, { tls: service });
    const env = targetOf(server, authority.caFile);
    expect(await world.run(LIST, { env })).toMatchObject({ exitCode: 0, stderr: '' });
    expect(server.connections()).toBe(2);
    expect(server.requests).toHaveLength(1);
    expect(await world.run(LIST, { env })).toMatchObject({ exitCode: 0, stderr: '' });
    expect(server.connections()).toBe(4);
    expect(server.requests).toHaveLength(2);
  });

  it('a write is sent once', async () => {
    const world = await freshWorld();
    await using server = await startHostile(created, { tls: service });
    const ran = await world.run(CREATE, { env: targetOf(server, authority.caFile) });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(server.requests.map(({ line }) => line)).toEqual(['POST /api/v1/items/ HTTP/1.1']);
    expect(server.connections()).toBe(2);
  });

  it('the built binary: Node itself reads SSL_CERT_FILE', async () => {
    const world = await freshWorld();
    await using server = await startHostile(created, { tls: service });
    const ran = await world.spawn(CREATE, { env: targetOf(server, authority.caFile) });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a certificate that no store knows', () => {
  it.each([
    ['an expired certificate', -1, '127.0.0.1', /CERT_HAS_EXPIRED/],
    ['another host name', 90, 'localhost', /ERR_TLS_CERT_ALTNAME_INVALID/],
  ])('%s of a known authority is not tried again', async (name, days, host, says) => {
    const world = await freshWorld();
    const folder = await mkdtemp(join(world.folder, 'c-'));
    const own = await makeAuthority(folder);
    const tls = await own.issue({ name: 'service', hosts: ['IP:127.0.0.1'], days });
    await using server = await startHostile(respond, { tls });
    const env = {
      ...targetOf(server, authority.caFile),
      PROC_BASE_URL: `https://${host}:${server.port}/api/v1`,
      PROC_CA_FILE: own.caFile,
    };
    const ran = await world.run(LIST, { env });
    expect(ran.exitCode, name).toBe(7);
    expect(errorOf(ran).message).toMatch(says);
    expect(server.connections()).toBe(1);
    expect(server.requests).toEqual([]);
  });
});

describe('a proxy that inspects TLS', () => {
  const HOST = 'procurement.test';
  const PROXIED = `https://${HOST}/api/v1`;

  it('works if its authority is in the store of the system: a write is sent once', async () => {
    const world = await freshWorld();
    await using server = await startHostile(created, { tls: service });
    const inspector = await makeAuthority(world.folder, 'inspector');
    const own = await inspector.issue({ name: 'inspected', hosts: ['DNS:procurement.test'] });
    /** What proc has sent to the service through each tunnel. Empty if the handshake failed. */
    const sent: string[] = [];
    await using proxy = await startHostile((socket) => {
      const nth = sent.push('') - 1;
      established(socket);
      const inner = new TLSSocket(socket, { isServer: true, ...own });
      inner.on('data', (bytes: Buffer) => {
        sent[nth] += bytes.toString('latin1');
      });
      const { ca } = authority;
      joined(inner, connect({ host: '127.0.0.1', port: server.port, ca, servername: HOST }));
    });
    const env = { PROC_BASE_URL: PROXIED, PROC_API_KEY: 'k-1', HTTPS_PROXY: proxy.origin };
    const refused = await world.run(CREATE, { env });
    expect(refused).toMatchObject({ exitCode: 7, stdout: '' });
    expect(errorOf(refused).message).toMatch(/certificate is not trusted/);
    expect(sent).toEqual(['', '']);

    const trusting = { ...env, SSL_CERT_FILE: inspector.caFile };
    const ran = await world.run(CREATE, { env: trusting });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(server.requests.map(({ line }) => line)).toEqual(['POST /api/v1/items/ HTTP/1.1']);
    expect(sent).toEqual(['', '', '', expect.stringContaining('POST /api/v1/items/')]);
  });
});

describe('a proxy that is itself reached over https', () => {
  it.each([
    ['its authority is in the store of the system, that of the service too', true],
    ['only its authority is there; PROC_CA_FILE names that of the service', false],
  ])('%s: a write is sent once', async (_, isSame) => {
    const world = await freshWorld();
    await using server = await startHostile(created, { tls: service });
    const other = await makeAuthority(world.folder, 'gatekeeper');
    const gate = isSame ? authority : other;
    const own = await gate.issue({ name: 'gate', hosts: ['IP:127.0.0.1'] });
    await using proxy = await startHostile(tunnelTo(server.port), { tls: own });
    const env = {
      PROC_BASE_URL: 'https://procurement.test/api/v1',
      PROC_API_KEY: 'k-1',
      HTTPS_PROXY: proxy.origin,
      ...(isSame ? {} : { PROC_CA_FILE: authority.caFile }),
    };
    const refused = await world.run(CREATE, { env });
    expect(refused).toMatchObject({ exitCode: 7, stdout: '' });
    expect(errorOf(refused).message).toMatch(/certificate is not trusted/);
    expect(server.connections()).toBe(0);

    const trusting = { ...env, SSL_CERT_FILE: gate.caFile };
    const ran = await world.run(CREATE, { env: trusting });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(server.requests).toHaveLength(1);
  });
});
