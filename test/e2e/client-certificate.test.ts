import { execFileSync } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecureVersion, TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Authority, type Issued, makeAuthority } from '../support/certificates.ts';
import { always, http, startHostile, targetOf } from '../support/hostile-service.ts';
import { errorOf, freshWorld, jsonLines, openWorld, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { startTerminal } from '../support/terminal.ts';
import { startTlsFront } from '../support/tls-front.ts';
import { startTunnel } from '../support/tunnel.ts';

let place: World & AsyncDisposable;
let authority: Authority;
let service: Issued;
let client: Issued;
let locked: Issued;
const PASSPHRASE = 'open sesame 7';

beforeAll(async () => {
  place = await openWorld();
  authority = await makeAuthority(place.folder);
  const hosts = ['IP:127.0.0.1', 'DNS:procurement.test'];
  service = await authority.issue({ name: 'service', hosts });
  client = await authority.issue({ name: 'client' });
  locked = await authority.issue({ name: 'locked', passphrase: PASSPHRASE });
});
afterAll(() => place[Symbol.asyncDispose]());

const LIST = ['sectors', 'list', '--retries', '1'];
const CREATE = ['items', 'create', '--name', 'Bolt', '--yes', '-e', 'x', '--again'];

/** A service that asks for a client certificate, and records its owner for each connection. */
async function startAsking(
  isRequired = true,
  response = http(200, '[]'),
  maxVersion: SecureVersion = 'TLSv1.3',
) {
  const shown: (string | undefined)[] = [];
  const server = await startHostile(always(response), {
    tls: {
      maxVersion,
      ...service,
      ca: authority.ca,
      requestCert: true,
      rejectUnauthorized: isRequired,
    },
    onConnect: (socket) => {
      shown.push((socket as TLSSocket).getPeerCertificate().subject?.CN as string | undefined);
    },
  });
  return { ...server, shown };
}

const trusting = () => ['--ca-file', authority.caFile];
const showing = ({ certFile, keyFile }: Issued) => [
  ...['--client-cert', certFile, '--client-key', keyFile],
  ...trusting(),
];

describe('--client-cert and --client-key', () => {
  it('show the certificate to the service, for reads and writes', async () => {
    const created = http(201, '{"id":"it-1","name":"Bolt"}');
    await using asking = await startAsking(true, created);
    await using listing = await startAsking();
    const world = await freshWorld();
    const read = await world.run([...LIST, ...showing(client)], { env: targetOf(listing) });
    expect(read, read.stderr).toMatchObject({ exitCode: 0 });
    const written = await world.run([...CREATE, ...showing(client)], { env: targetOf(asking) });
    expect(written, written.stderr).toMatchObject({ exitCode: 0 });
    expect([...listing.shown, ...asking.shown]).toEqual(['Test client', 'Test client']);
    expect(asking.requests).toHaveLength(1);
  });

  it('one file may hold certificate, chain and key', async () => {
    await using asking = await startAsking();
    const world = await freshWorld();
    await world.file('both.pem', `${client.cert}${authority.ca}${client.key}`);
    await chmod(join(world.cwd, 'both.pem'), 0o600);
    const args = [...LIST, '--client-cert', 'both.pem', ...trusting()];
    const ran = await world.run(args, { env: targetOf(asking) });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(asking.shown).toEqual(['Test client']);
  });

  it('work over every connection of an import, with the certificates of the system', async () => {
    const world = await freshWorld();
    await using sandbox = await loggedSandbox();
    const tls = { ...service, ca: authority.ca, requestCert: true };
    await using front = await startTlsFront(sandbox.baseUrl, tls);
    const rows = Array.from({ length: 40 }, (_, n) => ({ code: `T-${n}`, name: `Bolt ${n}` }));
    await world.file('items.json', JSON.stringify(rows));
    const flags = showing(client).slice(0, 4);
    const ran = await world.run(['items', 'import', 'items.json', '--yes', '-e', 'x', ...flags], {
      env: {
        ...sandbox.target,
        PROC_BASE_URL: front.baseUrl,
        SSL_CERT_FILE: authority.caFile,
      },
    });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(sandbox.writes()).toHaveLength(40);
  });

  it('are in the line of --curl, which needs no passphrase', async () => {
    const ran = await place.run(
      [
        'orders',
        'list',
        '--curl',
        '--client-cert',
        'a b.pem',
        '--client-key',
        'b.key',
        ...trusting(),
      ],
      { env: { PROC_BASE_URL: 'https://procurement.test/api/v1', PROC_API_KEY: 'k-1' } },
    );
    expect(ran.stdout).toContain(`--cacert ${authority.caFile} --cert 'a b.pem' --key b.key`);
  });

  it('--client-key alone: exit 2', async () => {
    const ran = await place.run([...LIST, '--client-key', client.keyFile], {
      env: { PROC_BASE_URL: 'https://127.0.0.1:9/api/v1', PROC_API_KEY: 'k-1' },
    });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(errorOf(ran).message).toBe('--client-key needs --client-cert');
  });
});

describe('a service that wants a client certificate and gets none', () => {
  it.each([LIST, CREATE])(
    'exit 7 with the way to give one; nothing applied: %s',
    async (...args) => {
      await using asking = await startAsking();
      const world = await freshWorld();
      const ran = await world.run([...args, ...trusting()], { env: targetOf(asking) });
      expect(ran, ran.stderr).toMatchObject({ exitCode: 7, stdout: '' });
      const { message, hint } = errorOf(ran);
      expect(message).toMatch(
        /the service asks for a client certificate .*the request was not read/,
      );
      expect(hint).toContain('--client-cert FILE --client-key FILE');
      expect(asking.requests).toEqual([]);
      const unknown = await world.run(['history', 'list', '--state', 'unknown']);
      expect(JSON.parse(unknown.stdout)).toEqual([]);
    },
  );

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'exit 7 and nothing applied for a write through a proxy too, with %s',
    async (maxVersion) => {
      await using asking = await startAsking(true, http(201, '{"id":"it-1"}'), maxVersion);
      await using proxy = await startTunnel(asking.port);
      const world = await freshWorld({
        PROC_BASE_URL: 'https://procurement.test/api/v1',
        PROC_API_KEY: 'k-1',
        HTTPS_PROXY: proxy.origin,
      });
      const ran = await world.run([...CREATE, '--retries', '0', ...trusting()]);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 7, stdout: '' });
      expect(errorOf(ran).message).toMatch(/the request was not read|nothing was sent/);
      expect(asking.requests).toEqual([]);
      const unknown = await world.run(['history', 'list', '--state', 'unknown']);
      expect(JSON.parse(unknown.stdout)).toEqual([]);
      const shown = await world.run([...CREATE, ...showing(client)]);
      expect(shown, shown.stderr).toMatchObject({ exitCode: 0 });
      expect(asking.requests).toHaveLength(1);
    },
  );

  it('a response about a missing certificate, as nginx sends it, has the same hint', async () => {
    const page =
      '<html><head><title>400 No required SSL certificate was sent</title></head><body></body></html>';
    await using server = await startHostile(always(http(400, page)), { tls: service });
    const ran = await place.run([...LIST, ...trusting()], { env: targetOf(server) });
    expect(ran.exitCode).toBe(6);
    expect(errorOf(ran).hint).toContain('--client-cert FILE');
  });
});

describe('the client certificate of an environment', () => {
  /** A profile `acme` whose certificate is given by relative paths. */
  async function acmeAt(baseUrl: string): Promise<World> {
    const world = await freshWorld({ PROC_API_KEY: 'k-1' });
    await writeFile(join(world.cwd, 'c.pem'), client.cert);
    await writeFile(join(world.cwd, 'c.key'), client.key, { mode: 0o600 });
    await world.run(['profile', 'add', 'acme', '-e', 'staging', '--base-url', baseUrl]);
    const set = 'profile set acme -e staging clientKey=c.key clientCert=c.pem'.split(' ');
    const ran = await world.run(set);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      clientCert: join(world.cwd, 'c.pem'),
      clientKey: join(world.cwd, 'c.key'),
      clientCertOrigin: new URL(baseUrl).origin,
    });
    return world;
  }

  it('is shown to its address; config list has it with its origin', async () => {
    await using asking = await startAsking();
    const world = await acmeAt(asking.baseUrl);
    const ran = await world.run([...LIST, '-p', 'acme', ...trusting()], { cwd: world.folder });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(asking.shown).toEqual(['Test client']);
    const listed = await world.run(['config', 'list', '-p', 'acme']);
    const at = { origin: 'profile', place: 'acme/staging' };
    expect(JSON.parse(listed.stdout)).toEqual(
      expect.arrayContaining([
        { key: 'client-cert', value: join(world.cwd, 'c.pem'), ...at },
        { key: 'client-key', value: join(world.cwd, 'c.key'), ...at },
      ]),
    );
    const flagged = await world.run(['config', 'get', 'client-cert', '--client-cert', 'x.pem']);
    expect(JSON.parse(flagged.stdout)).toMatchObject({ value: 'x.pem', origin: 'flag' });
  });

  it('is shown to no other address: exit 3 with the reason, and no connection', async () => {
    await using asking = await startAsking();
    await using other = await startAsking(false);
    const world = await acmeAt(asking.baseUrl);
    const env = { PROC_BASE_URL: other.baseUrl };
    const ran = await world.run([...LIST, '-p', 'acme', ...trusting()], { env });
    expect(ran).toMatchObject({ exitCode: 3, stdout: '' });
    expect(errorOf(ran)).toMatchObject({
      code: 'credential_origin',
      message: `the client certificate of acme/staging belongs to ${asking.origin} and is not shown to ${other.origin}`,
      hint: 'Add --client-cert FILE for this address, or unset PROC_BASE_URL',
    });
    expect(other.connections()).toBe(0);

    // Without `-p`, proc does not use the profile or its certificate.
    const bare = await world.run([...LIST, ...trusting()], { env });
    expect(bare, bare.stderr).toMatchObject({ exitCode: 0 });
    expect(other.shown).toEqual([undefined]);
  });

  it('stays with its address if the environment gets another one', async () => {
    await using asking = await startAsking();
    await using other = await startAsking(false);
    const world = await acmeAt(asking.baseUrl);
    const moved = await world.run([
      'profile',
      'set',
      'acme',
      '-e',
      'staging',
      `base-url=${other.baseUrl}`,
    ]);
    expect(jsonLines(moved.stderr)[0]!.warning).toContain(
      `The client certificate belongs to ${asking.origin} and is not shown to ${other.origin}`,
    );
    const ran = await world.run([...LIST, '-p', 'acme', ...trusting()]);
    expect(ran).toMatchObject({ exitCode: 3, stdout: '' });
    expect(other.connections()).toBe(0);

    const { hint } = errorOf(ran);
    const again = hint!.slice(hint!.indexOf('profile set')).split(' ');
    expect(await world.run(again)).toMatchObject({ exitCode: 0 });
    await world.run([...LIST, '-p', 'acme', ...trusting()]);
    expect(other.shown).toEqual(['Test client']);
  });

  it('profile add stores it too; a file that does not exist is refused', async () => {
    const world = await freshWorld();
    await writeFile(join(world.cwd, 'c.pem'), client.cert);
    await writeFile(join(world.cwd, 'c.key'), client.key, { mode: 0o600 });
    const add = 'profile add acme -e staging --base-url https://a.example/api/v1'.split(' ');
    for (const files of [
      ['--client-cert', 'gone.pem', '--client-key', 'c.key'],
      ['--client-cert', 'c.pem', '--client-key', 'gone.key'],
    ]) {
      const refused = await world.run([...add, ...files]);
      expect(refused).toMatchObject({ exitCode: 3 });
      expect(errorOf(refused).message).toMatch(/the client \w+ .*gone\.\w+ does not exist/);
    }
    const ran = await world.run([...add, '--client-cert', 'c.pem', '--client-key', 'c.key']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      clientCert: join(world.cwd, 'c.pem'),
      clientKey: join(world.cwd, 'c.key'),
      clientCertOrigin: 'https://a.example',
    });
    const set = ['profile', 'set', 'acme', '-e', 'staging', 'clientKey=gone.key'];
    const changed = await world.run(set);
    expect(changed).toMatchObject({ exitCode: 3 });
    expect(errorOf(changed).message).toContain('gone.key does not exist');
  });

  it('is removed as a whole, and not copied to another profile', async () => {
    await using asking = await startAsking();
    const world = await acmeAt(asking.baseUrl);
    await world.run(['profile', 'copy', 'acme', 'globex']);
    const config = async () =>
      JSON.parse(await readFile(join(world.configDir, 'config.json'), 'utf8')).profiles;
    expect(Object.keys((await config()).globex.environments.staging)).toEqual(['baseUrl']);
    await world.run(['profile', 'set', 'acme', '-e', 'staging', 'clientCert=']);
    expect(Object.keys((await config()).acme.environments.staging)).toEqual(['baseUrl']);
  });

  it('a key without a certificate is refused', async () => {
    const world = await freshWorld();
    const baseUrl = 'https://x.example/api/v1';
    await world.run(['profile', 'add', 'acme', '-e', 'staging', '--base-url', baseUrl]);
    const ran = await world.run(['profile', 'set', 'acme', '-e', 'staging', 'clientKey=c.key']);
    expect(ran).toMatchObject({ exitCode: 2 });
    expect(errorOf(ran).message).toBe('clientKey needs clientCert');
  });
});

describe('who never gets the client certificate', () => {
  it('the address that a redirect names', async () => {
    await using other = await startAsking(false);
    const moved = http(307, '', { location: `${other.baseUrl}/orders/` });
    await using asking = await startAsking(true, moved);
    const ran = await place.run([...LIST, ...showing(client)], { env: targetOf(asking) });
    expect(ran.exitCode).toBe(6);
    expect(asking.shown).toEqual(['Test client']);
    expect(other.connections()).toBe(0);
  });

  it('an https proxy, even if it asks for one', async () => {
    await using asking = await startAsking();
    const seen: unknown[] = [];
    const tls = { ...service, ca: authority.ca, requestCert: true, rejectUnauthorized: false };
    await using proxy = await startTunnel(asking.port, tls, (socket) => {
      seen.push((socket as TLSSocket).getPeerCertificate().subject?.CN);
    });
    const ran = await place.run([...LIST, ...showing(client)], {
      env: {
        PROC_BASE_URL: 'https://procurement.test/api/v1',
        PROC_API_KEY: 'k-1',
        HTTPS_PROXY: proxy.origin,
      },
    });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(seen).toEqual([undefined]);
    expect(asking.shown).toEqual(['Test client']);
  });
});

describe('files that cannot be used: exit 3, named, before any connection', () => {
  it.each<[string, () => Promise<readonly [string, string]>, RegExp, RegExp]>([
    [
      'a missing file',
      async () => ['gone.pem', 'x'],
      /client certificate gone\.pem does not exist/,
      /path/,
    ],
    [
      'a pipe, which nobody writes',
      async () => {
        const pipe = join(place.folder, 'pipe.pem');
        execFileSync('mkfifo', [pipe]);
        return [pipe, pipe];
      },
      /client certificate .*pipe\.pem: it is not a regular file/,
      /path/,
    ],
    [
      'no PEM',
      async () => [await file('noise.pem', 'noise'), 'x'],
      /noise\.pem is not a PEM file/,
      /BEGIN/,
    ],
    [
      'PKCS #12 or DER',
      async () => [await file('c.p12', Buffer.from('3082', 'hex')), 'x'],
      /c\.p12 is not a PEM file/,
      /openssl pkcs12 -in c\.p12/,
    ],
    [
      'a key in place of the certificate',
      async () => [client.keyFile, client.keyFile],
      /client\.key contains no readable certificate/,
      /PEM/,
    ],
    [
      'a certificate without its key',
      async () => [client.certFile, client.certFile],
      /client\.pem contains no private key/,
      /--client-key FILE/,
    ],
    [
      'the key of another certificate',
      async () => [client.certFile, service.keyFile],
      /service\.key does not belong to the certificate .*client\.pem/,
      /made for this certificate/,
    ],
    [
      'an expired certificate',
      async () => {
        const { certFile, keyFile } = await authority.issue({ name: 'expired', days: -1 });
        return [certFile, keyFile];
      },
      /expired\.pem expired on \d{4}-\d\d-\d\d/,
      /CN=Test authority/,
    ],
    [
      'an encrypted key, and no terminal',
      async () => [locked.certFile, locked.keyFile],
      /locked\.key is encrypted, and there is no terminal/,
      /clientKeyPassphraseCommand=/,
    ],
    [
      'a key that others can read',
      async () => {
        const key = await file('open.key', client.key);
        await chmod(join(place.cwd, key), 0o644);
        return [client.certFile, key];
      },
      /open\.key can be read by others/,
      /chmod 600 open\.key/,
    ],
  ])('%s', async (_, files, says, next) => {
    await using asking = await startAsking(false);
    const [cert, key] = await files();
    for (const args of [LIST, CREATE]) {
      const ran = await place.run([...args, '--client-cert', cert, '--client-key', key], {
        env: targetOf(asking),
      });
      expect(ran, ran.stderr).toMatchObject({ exitCode: 3, stdout: '' });
      expect(errorOf(ran).message).toMatch(says);
      expect(errorOf(ran).hint).toMatch(next);
    }
    expect(asking.connections()).toBe(0);
  });

  async function file(name: string, content: string | Uint8Array): Promise<string> {
    await place.file(name, content);
    return name;
  }
});

describe('the passphrase of the key', () => {
  const argv = (script: string) => JSON.stringify([process.execPath, '-e', script]);

  async function acmeWith(baseUrl: string, script: string): Promise<World> {
    const world = await freshWorld({ PROC_API_KEY: 'k-1' });
    await world.run(['profile', 'add', 'acme', '-e', 'staging', '--base-url', baseUrl]);
    const ran = await world.run([
      ...['profile', 'set', 'acme', '-e', 'staging', `clientCert=${locked.certFile}`],
      ...[`clientKey=${locked.keyFile}`, `clientKeyPassphraseCommand=${argv(script)}`],
    ]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    return world;
  }

  it('comes from a command', async () => {
    await using asking = await startAsking();
    const world = await acmeWith(asking.baseUrl, `console.log(${JSON.stringify(PASSPHRASE)})`);
    const ran = await world.run([...LIST, '-p', 'acme', ...trusting()]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(asking.shown).toEqual(['Test locked']);
  });

  it.each([
    ['prints another one', `console.log('wrong-words')`, 'invalid_setting', /does not open/],
    [
      'fails',
      `console.log(atob('${btoa(PASSPHRASE)}')); console.error('vault is sealed'); process.exit(3)`,
      'credential_command',
      /clientKeyPassphraseCommand .* failed with exit code 3$/,
    ],
  ])('the command %s: exit 3', async (_, script, code, says) => {
    await using asking = await startAsking();
    const world = await acmeWith(asking.baseUrl, script);
    const ran = await world.run([...LIST, '-p', 'acme', ...trusting()]);
    expect(ran).toMatchObject({ exitCode: 3, stdout: '' });
    expect(errorOf(ran)).toMatchObject({ code, message: expect.stringMatching(says) });
    expect(ran.stderr).not.toMatch(/sesame|wrong-words/);
    expect(asking.connections()).toBe(0);
  });

  it('is asked for at a terminal, hidden, again if it is wrong, and once per command', async () => {
    await using asking = await startAsking();
    const world = await freshWorld(targetOf(asking));
    const session = startTerminal(world, ['orders', 'list', '--all', ...showing(locked)]);
    await session.waitFor('Passphrase of');
    session.type('not-this-one\r');
    await session.waitFor('does not open the key');
    await session.waitFor('Passphrase of');
    session.type(`${PASSPHRASE}\r`);
    expect(await session.exited, session.text()).toBe(0);
    expect(session.text()).not.toMatch(/sesame|not-this-one/);
    expect(session.text().match(/Passphrase of/g)!.length).toBeGreaterThanOrEqual(2);
    expect(new Set(asking.shown)).toEqual(new Set(['Test locked']));
  });

  it('is not asked for if nothing is sent', async () => {
    const world = await freshWorld({
      PROC_API_KEY: 'k-1',
      PROC_BASE_URL: 'https://127.0.0.1:9/api/v1',
    });
    const ran = await world.run([...CREATE, '--dry-run', ...showing(locked)]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  });
});
