import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Env } from '../../src/core/io.ts';
import { binary } from '../support/built.ts';
import { type Certificates, makeCertificates } from '../support/certificates.ts';
import { always, http, startHostile, targetOf } from '../support/hostile-service.ts';
import { loggedSandbox } from '../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'proc-chunks-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a command line loads: files of dist/ without hashes in their names, and certificate stores. */
async function loadedBy(argv: string[], env: Env = {}): Promise<string[]> {
  const spy = join(folder, 'spy.cjs');
  writeFileSync(
    spy,
    `const tls = require('node:tls');
    const { getCACertificates } = tls;
    tls.getCACertificates = (store) => {
      process.stderr.write('STORE ' + store + '\\n');
      return getCACertificates(store);
    };
    process.on('exit', () => {
      const files = Object.keys(require.cache).map((file) => require('node:path').basename(file));
      process.stderr.write('LOADED ' + JSON.stringify(files.filter((file) => file.endsWith('.cjs'))) + '\\n');
    });`,
  );
  const { stdout: out } = await promisify(execFile)(
    'sh',
    ['-c', '"$0" "$@" 2>&1', process.execPath, '-r', spy, binary(), ...argv],
    {
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        PROC_CONFIG_DIR: folder,
        PROC_STATE_DIR: folder,
        ...env,
      },
    },
  );
  const files = JSON.parse(/^LOADED (.*)$/m.exec(out)![1]!) as string[];
  const stores = [...out.matchAll(/^STORE \w+$/gm)].map(([line]) => line);
  return [...stores, ...files]
    .map((file) => file.replace(/-[\w-]{8}\.cjs$/, '.cjs'))
    .filter((file) => file !== 'spy.cjs');
}

it.each(['--version', '--help'])(
  'proc %s loads its own chunk and nothing heavier',
  async (flag) => {
    expect((await loadedBy([flag])).sort()).toEqual(['base.cjs', 'main.cjs']);
  },
);

it.each([
  ['orders', '--help'],
  ['help', 'item'],
  ['doctor', '--help'],
  ['help', 'requisition', 'item', 'list'],
])('proc %s %s %s %s loads the pages of help, but no command and no parser', async (...words) => {
  const argv = words.filter((word) => word !== undefined);
  const loaded = await loadedBy(argv);
  expect(loaded.sort()).toEqual(['base.cjs', 'help-pages.cjs', 'main.cjs']);
});

it('only a command that sends a request loads the client', async () => {
  await using service = await loggedSandbox();
  expect(await loadedBy(['history', 'list', '-o', 'json'])).not.toContain('connection.cjs');
  const loaded = await loadedBy(['orders', 'list', '--limit', '20', '-o', 'json'], service.target);
  expect(loaded).toContain('connection.cjs');
});

describe('over https', () => {
  const list = ['sectors', 'list', '-o', 'json'];
  let tls: Certificates;

  beforeAll(async () => {
    tls = await makeCertificates(folder, ['IP:127.0.0.1']);
  });

  it('a known authority: no store of certificates is read, and no code for it is loaded', async () => {
    await using service = await startHostile(always(http(200, '[]')), { tls });
    const env = { ...targetOf(service), NODE_EXTRA_CA_CERTS: tls.caFile };
    const loaded = await loadedBy(list, env);
    expect(loaded.filter((one) => /STORE|certificates/.test(one))).toEqual([]);
    expect(service.requests).toHaveLength(1);
  });

  it('an authority of the system: the store is read', async () => {
    await using service = await startHostile(always(http(200, '[]')), { tls });
    const env = { ...targetOf(service), SSL_CERT_FILE: tls.caFile };
    const loaded = await loadedBy(list, env);
    expect(loaded).toContain('STORE system');
    expect(service.requests).toHaveLength(1);
  });
});
