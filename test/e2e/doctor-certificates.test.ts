import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Authority, type Issued, makeAuthority } from '../support/certificates.ts';
import { type Examined, examine } from '../support/doctor.ts';
import { always, http, startHostile, targetOf } from '../support/hostile-service.ts';
import { startInspectingProxy } from '../support/inspecting-proxy.ts';
import { freshWorld, openWorld, type World } from '../support/run.ts';

let place: World & AsyncDisposable;
let authority: Authority;
let service: Issued;
const HOSTS = ['IP:127.0.0.1', 'DNS:procurement.test'];

beforeAll(async () => {
  place = await openWorld();
  authority = await makeAuthority(place.folder);
  service = await authority.issue({ name: 'service', hosts: HOSTS });
});
afterAll(() => place[Symbol.asyncDispose]());

const respond = always(http(200, '[]', { date: new Date().toUTCString() }));

async function at(
  tls: { readonly cert: string; readonly key: string },
  { env = {}, flags = [], host = '127.0.0.1' }: Partial<Where> = {},
): Promise<Examined> {
  await using server = await startHostile(respond, { tls });
  const world = await freshWorld();
  const target = {
    ...targetOf(server),
    PROC_BASE_URL: `https://${host}:${server.port}/api/v1`,
  };
  return await examine({ ...world.env, ...target, ...env }, '--quick', ...flags);
}

interface Where {
  readonly env: Readonly<Record<string, string>>;
  readonly flags: readonly string[];
  readonly host: string;
}

describe('a trusted certificate: who issued it, when it ends, and which store knows its authority', () => {
  it.each<[string, () => Partial<Where>, string]>([
    ['--ca-file', () => ({ flags: ['--ca-file', authority.caFile] }), 'from --ca-file'],
    [
      'the system',
      () => ({ env: { SSL_CERT_FILE: authority.caFile } }),
      'from the system or SSL_CERT_FILE',
    ],
  ])('%s', async (_, where, says) => {
    const examined = await at(service, where());
    expect(examined.exitCode).toBe(0);
    const { status, finding, evidence, certificates } = examined.at('tls');
    expect(status).toBe('ok');
    expect(finding).toBe(
      `TLSv1.3, certificate of Test service expires in 89 days; proc knows its authority, Test authority, ${says}`,
    );
    expect(certificates).toEqual([
      {
        subject: 'Test service',
        issuer: 'Test authority',
        validFrom: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        validTo: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        daysLeft: 89,
        fingerprint: expect.stringMatching(/^([\dA-F]{2}:){31}[\dA-F]{2}$/),
      },
      expect.objectContaining({ subject: 'Test authority', daysLeft: 199 }),
    ]);
    expect(evidence[1]).toMatch(
      /^Test authority, issued by itself, .* expires in 199 days, SHA-256/,
    );
  });

  it.each([
    [29, 'warning'],
    [32, 'ok'],
  ])('with %i days left: %s', async (days, status) => {
    const soon = await authority.issue({ name: `soon-${days}`, hosts: HOSTS, days });
    const examined = await at(soon, { flags: ['--ca-file', authority.caFile] });
    expect(examined.at('tls').status).toBe(status);
    expect(examined.exitCode).toBe(0);
  });

  it('an intermediate certificate that ends first is named', async () => {
    const middle = await authority.below('middle', 10);
    const { cert, key } = await middle.issue({ name: 'leaf', hosts: HOSTS });
    const tls = { cert: cert + middle.ca, key };
    const examined = await at(tls, { flags: ['--ca-file', authority.caFile] });
    expect(examined.at('tls')).toMatchObject({
      status: 'warning',
      finding: expect.stringMatching(
        /expires in 89 days; .*; the certificate of Test middle expires in 9 days$/,
      ),
    });
  });
});

describe('a certificate that is not trusted: what is wrong with its chain', () => {
  const trust = () => ({ flags: ['--ca-file', authority.caFile] });

  it.each<[string, () => Promise<readonly [Issued, Partial<Where>?]>, string, RegExp]>([
    [
      'an unknown authority, which is sent along',
      async () => [{ ...service, cert: service.cert + authority.ca }],
      'neither Node.js nor the system knows its authority, Test authority (SELF_SIGNED_CERT_IN_CHAIN)',
      /authority of your organization, add it to the certificates of the system, or use --ca-file/,
    ],
    [
      'an unknown issuer, and nothing else is sent',
      async () => [service, { env: { SSL_CERT_FILE: '/gone.pem' } }],
      'the service sends one certificate, from the unknown issuer Test authority (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
      /send the whole chain.* SSL_CERT_FILE names a missing file/,
    ],
    [
      'a missing intermediate certificate',
      async () => {
        const middle = await authority.below('between');
        return [await middle.issue({ name: 'below', hosts: HOSTS }), trust()];
      },
      'the service sends one certificate, from the unknown issuer Test between (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
      /ask the operators to send the whole chain/,
    ],
    [
      'expired',
      async () => [await authority.issue({ name: 'old', hosts: HOSTS, days: -1 }), trust()],
      `the certificate of Test old expired on ${new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)} (CERT_HAS_EXPIRED)`,
      /operators of the service, and check the clock/,
    ],
    [
      'for another host',
      async () => [service, { ...trust(), host: 'localhost' }],
      'it is for IP Address:127.0.0.1, DNS:procurement.test, not for localhost (ERR_TLS_CERT_ALTNAME_INVALID)',
      /Check the base URL/,
    ],
    [
      'self-signed',
      async () => {
        const { caFile, ca } = await makeAuthority(place.folder, 'alone');
        const key = await readFile(join(place.folder, 'alone.key'), 'utf8');
        return [{ cert: ca, key, certFile: caFile, keyFile: '' }];
      },
      'the certificate of Test alone is signed by itself, not by an authority (DEPTH_ZERO_SELF_SIGNED_CERT)',
      /the operators confirm its SHA-256 \(-v shows it\)/,
    ],
  ])('%s', async (_, made, says, next) => {
    const [tls, where] = await made();
    const examined = await at(tls, where);
    expect(examined.exitCode).toBe(7);
    const { status, finding, hint, certificates } = examined.at('tls');
    expect([status, finding]).toEqual(['problem', `the certificate is not trusted: ${says}`]);
    expect(hint).toMatch(next);
    expect(certificates!.length).toBeGreaterThan(0);
    expect(examined.at('service').status).toBe('skipped');
  });
});

describe('behind a proxy', () => {
  const PROXIED = { PROC_BASE_URL: 'https://procurement.test/api/v1', PROC_API_KEY: 'k-1' };

  it('the authority of a proxy that decrypts is named, trusted or not', async () => {
    const inspector = await makeAuthority(place.folder, 'inspector');
    const own = await inspector.issue({ name: 'inspected', hosts: ['DNS:procurement.test'] });
    await using server = await startHostile(respond, { tls: service });
    await using proxy = await startInspectingProxy({ own, port: server.port, ca: authority.ca });
    const env = { ...(await freshWorld()).env, ...PROXIED, HTTPS_PROXY: proxy.origin };
    const refused = await examine(env, '--quick');
    expect(refused.at('tls')).toMatchObject({
      status: 'problem',
      finding: expect.stringContaining('from the unknown issuer Test inspector'),
      hint: expect.stringContaining(`The proxy ${new URL(proxy.origin).host} may decrypt`),
    });
    const trusting = { ...env, SSL_CERT_FILE: inspector.caFile };
    const trusted = await examine(trusting, '--quick');
    expect(trusted.exitCode, trusted.stderr).toBe(0);
    expect(trusted.at('tls')).toMatchObject({
      status: 'ok',
      finding: expect.stringMatching(
        /proc knows its authority, Test inspector, from the system or SSL_CERT_FILE; the proxy .* may decrypt the connection$/,
      ),
    });
  });

  it('a proxy that refuses the connection', async () => {
    await using proxy = await startHostile(always(http(403)));
    const env = { ...(await freshWorld()).env, ...PROXIED, HTTPS_PROXY: proxy.origin };
    const examined = await examine(env, '--quick');
    expect(examined.at('tls')).toMatchObject({
      status: 'problem',
      finding: 'no TLS connection to procurement.test:443 (the proxy refuses the connection: 403)',
    });
  });
});

describe('the client certificate', () => {
  it.each([
    [90, 'ok'],
    [20, 'warning'],
  ])('with %i days left: %s', async (days, status) => {
    const { certFile, keyFile } = await authority.issue({ name: `client-${days}`, days });
    const flags = ['--client-cert', certFile, '--client-key', keyFile];
    const examined = await at(service, { flags: ['--ca-file', authority.caFile, ...flags] });
    expect(examined.exitCode).toBe(0);
    expect(examined.at('client certificate')).toMatchObject({
      status,
      finding: `${certFile}, from --client-cert: Test client-${days}, issued by Test authority, expires in ${days - 1} days`,
      certificates: [{ subject: `Test client-${days}`, daysLeft: days - 1 }],
    });
  });

  it('unusable: its problem, and the exit code of other commands', async () => {
    const flags = ['--ca-file', authority.caFile, '--client-cert', 'gone.pem'];
    const examined = await at(service, { flags });
    expect(examined.exitCode).toBe(3);
    expect(examined.at('client certificate')).toMatchObject({
      status: 'problem',
      finding: 'the client certificate gone.pem does not exist',
      exitCode: 3,
    });
    expect(examined.at('tls').status).toBe('ok');
    expect(examined.at('service').status).toBe('skipped');
  });
});
