import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { carryOut } from '../../../src/cli/run-command-line.ts';
import { ProcError } from '../../../src/core/errors.ts';
import type { GlobalFlags } from '../../../src/core/global-flags.ts';
import type { RecordResult, Result } from '../../../src/core/result.ts';
import { commands } from '../../../src/sandbox/commands/commands.ts';
import type { Announcement } from '../../../src/sandbox/server/announcement.ts';
import { carrier } from '../../support/carrier.ts';
import { raw } from '../../support/raw-http.ts';
import { freshFolder } from '../../support/sandbox.ts';

const PROGRAM = fileURLToPath(new URL('../../support/sandbox-process.ts', import.meta.url));

async function bench(globals: Partial<GlobalFlags> = {}, isTTY = false) {
  const folder = await freshFolder();
  const stdout = Object.assign(new PassThrough(), { isTTY });
  const stderr = new PassThrough();
  const stdin = new PassThrough();
  const said: string[] = [];
  const abort = new AbortController();
  const state = join(folder, 'state');
  const env = { PATH: process.env.PATH, PROC_STATE_DIR: state, PROC_TOKEN: 'secret' };
  const given = carrier({
    io: {
      streams: { stdin, stdout, stderr },
      say: (message: { text: string }) => void said.push(message.text),
    },
    api: { isPreview: false },
    self: {
      env,
      flags: { quiet: false, ...globals },
      clock: {
        now: Date.now,
        monotonic: () => performance.now(),
        sleep: (ms: number) => delay(ms),
        random: Math.random,
      },
      signal: abort.signal,
      selfCommand: [process.execPath, PROGRAM],
      pid: process.pid,
    },
  });
  const run = (verb: string, flags: object = {}, command: readonly string[] = []) => {
    const spec = commands.find(({ path }) => path[1] === verb)!;
    const values = { empty: false, ephemeral: false, detach: false, port: 0, ...flags };
    return carryOut(spec, { args: { command }, flags: values }, given);
  };
  const value = async (result: Promise<Result>) => ((await result) as RecordResult).value;
  onTestFinished(async () => {
    abort.abort(new ProcError('terminated', 'the test is over'));
    await run('stop');
  });
  return { folder, state, stdout, stdin, said, abort, run, value };
}

it('start prints its address, logs requests, and ends at a signal with exit code 0', async () => {
  const { stdout, said, abort, run, value, state } = await bench();
  const running = run('start', { ephemeral: true });
  const [line] = (await once(stdout, 'data')) as [Buffer];
  const announced = JSON.parse(line.toString()) as Announcement;
  expect(announced).toEqual({
    url: `http://127.0.0.1:${announced.port}/api/v1`,
    key: 'proc-sandbox-key',
    secondKey: 'proc-sandbox-key-2',
    port: announced.port,
    pid: process.pid,
    db: expect.stringContaining('sandbox.db'),
    samples: { order: 'po-1', orderCode: 'PO-00001', sector: 'sec-1', address: 'adr-1' },
  });
  await raw(announced.url, 'GET', '/orders/?limit=1');
  await expect
    .poll(() => said)
    .toEqual([expect.stringMatching(/^GET \/api\/v1\/orders\/\?limit=1 200 \d+\.\d ms$/)]);
  expect(await value(run('status'))).toMatchObject({ running: true, url: announced.url });
  expect(statSync(join(state, 'sandbox.json')).mode & 0o777).toBe(0o600);
  abort.abort(new ProcError('interrupted', 'Interrupted'));
  expect(await running).toEqual({ kind: 'none' });
  expect(existsSync(announced.db)).toBe(false);
  expect(await value(run('status'))).toEqual({ running: false });
});

it('start prints a block on a terminal', async () => {
  const { stdout, run } = await bench({}, true);
  const running = run('start');
  const [block] = (await once(stdout, 'data')) as [Buffer];
  expect(block.toString()).toMatch(/running\.\n\n {2}URL +http.*\n {2}Key +proc-sandbox-key /);
  expect(block.toString()).toContain('To try    po-1  PO-00001  sec-1  adr-1');
  await run('stop');
  expect(await running).toEqual({ kind: 'none' });
});

it('start --detach continues in the background, once; status finds it, stop ends it, its data stays', async () => {
  const { stdout, state, run, value } = await bench();
  expect(await run('start', { detach: true })).toEqual({ kind: 'none' });
  const { url, pid, db } = JSON.parse(stdout.read().toString()) as Announcement;
  expect(db).toBe(join(state, 'sandbox.db'));
  expect(await value(run('status'))).toMatchObject({ running: true, url, pid });
  await expect(run('start', { detach: true })).rejects.toMatchObject({
    code: 'sandbox_conflict',
    message: `a sandbox is already running at ${url}`,
  });
  await raw(url, 'POST', '/items/', { body: { name: 'Bolt' } });
  await expect(run('reset')).rejects.toMatchObject({ code: 'sandbox_conflict' });
  expect(await value(run('stop'))).toEqual({ stopped: true, url, pid });
  expect(await value(run('stop'))).toMatchObject({ stopped: false });
  await run('start', { detach: true });
  const again = JSON.parse(stdout.read().toString()) as Announcement;
  expect((await raw(again.url, 'GET', '/items/')).json).toHaveLength(1);
});

it('start --detach reports why the background process failed', async () => {
  const { run } = await bench();
  await expect(run('start', { detach: true, faults: 'boom=1%' })).rejects.toMatchObject({
    code: 'invalid_usage',
    message: '--faults: unknown fault "boom"',
  });
});

it('reset restores the seed data, or leaves only the keys', async () => {
  const { folder, run, value, stdout, state } = await bench();
  const db = join(folder, 'mine.db');
  const contents = async () => {
    const running = run('start', { db });
    const [line] = (await once(stdout, 'data')) as [Buffer];
    const { url } = JSON.parse(line.toString()) as Announcement;
    const items = (await raw(url, 'GET', '/items/')).json as unknown[];
    const orders = (await raw(url, 'GET', '/orders/')).json as unknown[];
    const created = (await raw(url, 'POST', '/items/', { body: { name: 'Bolt' } })).json;
    await run('stop');
    await running;
    return { items: items.length, orders: orders.length, created };
  };
  expect(await contents()).toMatchObject({ items: 0, orders: 20 });
  expect(await contents()).toMatchObject({ items: 1, orders: 20 });
  expect(await value(run('reset', { db }))).toEqual({ reset: true, db, empty: false });
  expect(await contents()).toMatchObject({ items: 0, orders: 20, created: { id: 'itm-1' } });
  await run('reset', { db, empty: true });
  expect(await contents()).toMatchObject({ items: 0, orders: 0 });
  expect(existsSync(join(state, 'sandbox.json'))).toBe(false);
});

it('start refuses --db with --ephemeral', async () => {
  const { run } = await bench();
  await expect(run('start', { db: 'a.db', ephemeral: true })).rejects.toMatchObject({
    code: 'invalid_usage',
  });
});

it('exec gives a command a fresh sandbox, and passes its input, output and exit code', async () => {
  const { run, stdin, stdout } = await bench();
  stdin.end('typed');
  const script = `cat; echo; env | grep ^PROC_ | sort; command -v proc; exit 37`;
  const result = await run('exec', {}, ['sh', '-c', script]);
  expect(result).toEqual({ kind: 'none', exitCode: 37 });
  stdout.end();
  expect((await text(stdout)).split('\n')).toEqual([
    'typed',
    'PROC_API_KEY=proc-sandbox-key',
    expect.stringMatching(/^PROC_BASE_URL=http:\/\/127\.0\.0\.1:\d+\/api\/v1$/),
    expect.stringMatching(/^PROC_CONFIG_DIR=.*config$/),
    'PROC_ENV=local',
    'PROC_PROFILE=sandbox',
    expect.stringMatching(/^PROC_SANDBOX_DB=.*sandbox\.db$/),
    expect.stringMatching(/^PROC_STATE_DIR=.*state$/),
    expect.stringMatching(/bin\/proc$/),
    '',
  ]);
});

it('exec removes everything afterwards, and its sandbox answers meanwhile', async () => {
  const { run, folder, stdin } = await bench();
  stdin.end();
  const out = join(folder, 'out.json');
  const code = `
    const response = await fetch(process.env.PROC_BASE_URL + '/orders/', {
      headers: { 'x-api-key': process.env.PROC_API_KEY },
    });
    const { writeFileSync } = await import('node:fs');
    writeFileSync(${JSON.stringify(out)}, JSON.stringify({
      rows: (await response.json()).length, folder: process.env.PROC_STATE_DIR,
    }));`;
  const command = [process.execPath, '--input-type=module', '-e', code];
  expect(await run('exec', {}, command)).toEqual({ kind: 'none', exitCode: 0 });
  const seen = JSON.parse(readFileSync(out, 'utf8')) as { rows: number; folder: string };
  expect(seen.rows).toBe(20);
  expect(existsSync(join(seen.folder, '..'))).toBe(false);
});

it('exec passes signals on to the command', async () => {
  const { run, stdout, stdin, abort } = await bench();
  stdin.end();
  let printed = '';
  stdout.on('data', (chunk) => (printed += chunk));
  const script = 'trap "echo told; exit 9" TERM; echo up; while :; do sleep 0.05; done';
  const running = run('exec', {}, ['sh', '-c', script]);
  await expect.poll(() => printed).toBe('up\n');
  abort.abort(new ProcError('terminated', 'Terminated'));
  expect(await running).toEqual({ kind: 'none', exitCode: 9 });
  expect(printed).toBe('up\ntold\n');
});

it('exec returns 128 + the number of the signal that ended the command', async () => {
  const { run, stdin } = await bench();
  stdin.end();
  expect(await run('exec', {}, ['sh', '-c', 'kill -KILL $$'])).toMatchObject({ exitCode: 137 });
});

it('exec reports what it cannot run', async () => {
  const { run, stdin } = await bench();
  stdin.end();
  await expect(run('exec', {}, ['no-such-command'])).rejects.toMatchObject({
    code: 'command_not_found',
    exitCode: 127,
    message: expect.stringContaining('no-such-command'),
  });
});
