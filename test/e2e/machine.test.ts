import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chown, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runHere } from '../support/in-process.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

async function atSandbox(given: Readonly<Record<string, string>> = {}): Promise<World> {
  const { baseUrl } = await startTestSandbox();
  return freshWorld({ PROC_BASE_URL: baseUrl, ...given });
}

const CREATE = ['items', 'create', '--name', 'Bolt', '--yes'];

/** Makes a pipe without a writer: whoever reads it waits forever. */
function pipeAt(path: string): void {
  execFileSync('sh', ['-c', 'exec mkfifo "$0"', path]);
}

describe('a working directory that was removed', () => {
  it('stops only commands that need it, with a clear error', async () => {
    const world = await atSandbox();
    const gone = (line: string) =>
      world.shell(`mkdir gone && cd gone && rmdir ../gone && "$NODE" "$PROC" ${line}`);
    expect((await gone('orders list --limit 1 -o id')).stdout).toBe('po-500\n');
    const file = await gone('items import x.json');
    expect([file.exitCode, errorOf(file).code]).toEqual([2, 'invalid_input']);
  });
});

describe('a damaged state folder', () => {
  it('names a damaged history, with a command that helps', async () => {
    const world = await atSandbox();
    await runHere(CREATE, world.env);
    const path = join(world.stateDir, 'ledger.db');
    const bytes = readFileSync(path).fill(0x5a, 4_096);
    for (const content of [bytes, Buffer.from('no database at all'.repeat(300))]) {
      for (const suffix of ['-wal', '-shm']) await rm(path + suffix, { force: true });
      await writeFile(path, content);
      for (const args of [
        ['history', 'list'],
        [...CREATE, '--again'],
      ]) {
        const ran = await runHere(args, world.env);
        expect([ran.exitCode, errorOf(ran).code]).toEqual([3, 'config_unreadable']);
        expect(errorOf(ran).message).toContain(`${path} is damaged`);
      }
    }
    const { hint } = errorOf(await runHere(['history', 'list'], world.env));
    await world.shell(hint!.slice(hint!.indexOf('mv ')));
    // Nobody knows what the damaged one had.
    expect(errorOf(await runHere(CREATE, world.env)).code).toBe('ledger_changed');
    await runHere(['doctor', '--accept-ledger', '--yes'], world.env);
    expect((await runHere(CREATE, world.env)).exitCode).toBe(0);
  });

  it.each(['ledger.db'])('never waits for a pipe in place of %s', async (name) => {
    const world = await atSandbox();
    await mkdir(world.stateDir, { recursive: true, mode: 0o700 });
    pipeAt(join(world.stateDir, name));
    for (const args of [
      CREATE,
      ['orders', 'list', '--limit', '1'],
      ['__complete', 'fish', 'orders', 'get', ''],
    ]) {
      const ran = await runHere(args, world.env, { terminal: args[0] === 'orders' });
      const needsIt = name === 'ledger.db' && args === CREATE;
      expect({ args, exitCode: ran.exitCode }).toEqual({ args, exitCode: needsIt ? 3 : 0 });
      if (needsIt) expect(ran.stderr).toContain('not a regular file');
    }
  });

  it('a full disk is reported before anything is sent', async () => {
    const world = await atSandbox();
    await world.file('i.json', JSON.stringify([{ name: 'a', code: 'a' }]));
    for (const line of [CREATE.join(' '), 'items import i.json --yes']) {
      // A limit on the size of files acts like a full disk.
      const ran = await world.shell(`ulimit -f 0; trap '' XFSZ; "$NODE" "$PROC" ${line}`);
      expect([line, ran.exitCode, errorOf(ran).code]).toEqual([line, 3, 'state_unwritable']);
    }
    expect(JSON.parse((await runHere(['items', 'list'], world.env)).stdout)).toEqual([]);
  });
});

describe('a folder of another user', () => {
  it.runIf(process.getuid?.() === 0).each(['PROC_CONFIG_DIR', 'PROC_STATE_DIR'])(
    'is refused as %s',
    async (variable) => {
      const world = await atSandbox();
      const folder = join(world.folder, 'foreign');
      await mkdir(folder, { mode: 0o700 });
      await chown(folder, 12_345, 12_345);
      const ran = await runHere(CREATE, { ...world.env, [variable]: folder });
      expect([ran.exitCode, errorOf(ran).code]).toEqual([3, 'config_insecure']);
      expect(errorOf(ran).message).toBe(`${folder} belongs to another user (uid 12345)`);
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it.runIf(process.getuid?.() === 0)('uses no compiled code from it', async () => {
    const world = await freshWorld();
    const compiled = join(world.folder, 'cache', 'proc', 'compiled');
    await mkdir(compiled, { recursive: true });
    await chown(compiled, 12_345, 12_345);
    const own = join(world.folder, 'own');
    for (const cache of [join(world.folder, 'cache'), own]) {
      const ran = await world.spawn(['orders', '--help'], { env: { XDG_CACHE_HOME: cache } });
      expect(ran.exitCode).toBe(0);
    }
    expect(await readdir(compiled)).toEqual([]);
    expect(await readdir(join(own, 'proc', 'compiled'))).toHaveLength(1);
  });
});

it('a folder in /proc is no cache: nothing spins', async () => {
  const world = await freshWorld();
  const env = { HOME: '/proc', XDG_CACHE_HOME: '' };
  expect(await world.spawn(['--version'], { env })).toMatchObject({ exitCode: 0, stderr: '' });
});

it('NODE_DEBUG does not print the key, and the errors of proc still appear', async () => {
  const key = 'canary-key-9f2c';
  const world = await atSandbox({ PROC_API_KEY: key });
  const ran = await world.spawn(['orders', 'list'], { env: { NODE_DEBUG: '*' } });
  expect(ran.exitCode).toBe(4);
  expect(ran.stderr).toContain('"error"');
  expect(ran.stdout + ran.stderr).not.toContain(key);
});

it("Node's own warnings have the format of proc's", async () => {
  const world = await atSandbox();
  const warn = await world.file(
    'warn.cjs',
    "process.nextTick(() => process.emitWarning('careful'));",
  );
  const env = { NODE_OPTIONS: `--require ${warn}` };
  const args = ['orders', 'list', '--limit', '1', '-o'];
  const { stderr } = await world.spawn([...args, 'json'], { env });
  expect(JSON.parse(stderr)).toEqual({ warning: 'Warning: careful' });
  const text = await world.spawn([...args, 'table'], { env });
  expect(text.stderr).toContain('warning: Warning: careful\n');
});

it('a proxy without a scheme means plain HTTP, as for curl', async () => {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('[]');
  }).listen(0, '127.0.0.1');
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    socket.end('HTTP/1.1 502 no\r\n\r\n');
  });
  onTestFinished(() => void proxy.close());
  await new Promise((resolve) => proxy.once('listening', resolve));
  const world = await freshWorld({
    PROC_BASE_URL: 'https://service.example/api/v1',
    PROC_API_KEY: 'key',
    HTTPS_PROXY: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  });
  const ran = await runHere(['orders', 'list', '--retries', '0'], world.env);
  expect(ran.exitCode).toBe(7);
  expect(asked).toEqual(['service.example:443']);
});

it.each([
  'ftp://me:hunter2@proxy.example',
  'socks5://me:hunter2@127.0.0.1:9',
  'http://me:hunter2@',
])('an unusable proxy is named without its password: %s', async (proxy) => {
  const { env } = await freshWorld({
    PROC_BASE_URL: 'https://service.invalid/api/v1',
    PROC_API_KEY: 'key',
    HTTPS_PROXY: proxy,
  });
  const ran = await runHere(['orders', 'list', '--retries', '0'], env);
  expect(errorOf(ran)).toMatchObject({ code: 'invalid_setting', exitCode: 3 });
  expect(errorOf(ran).message).toBe('HTTPS_PROXY is not the address of an http or https proxy');
  const looked = await runHere(['doctor', '-o', 'json'], env);
  expect(looked.exitCode).toBe(3);
  expect(ran.stderr + looked.stdout + looked.stderr).not.toContain('hunter2');
});
