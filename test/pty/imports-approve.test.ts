import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { approvers } from '../support/approvers.ts';
import { startPty } from '../support/pty.ts';
import { freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

const people = approvers();
afterAll(() => people[Symbol.dispose]());

let sandbox: LoggedSandbox;
beforeAll(async () => {
  sandbox = await loggedSandbox();
});
afterAll(() => sandbox[Symbol.asyncDispose]());

async function done(world: World, args: readonly string[]) {
  const ran = await world.run(args);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  return JSON.parse(ran.stdout);
}

async function staged(): Promise<{ world: World; run: string }> {
  const world = await freshWorld({
    PROC_API_KEY: sandbox.target.PROC_API_KEY,
    PROC_PROFILE: 'acme',
    PROC_ENV: 'here',
  });
  const at = ['acme', '-e', 'here'];
  await done(world, ['profile', 'add', ...at, '--base-url', sandbox.baseUrl]);
  const file = people.file('approvers', ['bob', 'alice']);
  await done(world, ['profile', 'set', ...at, 'approvals=1', `approvers=${file}`, 'signer=alice']);
  await world.file('a.csv', `code,name\nPT-${sandbox.requests.length},Bolt\n`);
  const { run } = await done(world, ['items', 'import', 'a.csv', '--stage']);
  return { world, run };
}

const approvals = async (world: World, run: string): Promise<unknown[]> =>
  (await done(world, ['imports', 'show', run])).approvals;

it('shows what it signs and asks; Enter alone signs nothing', async () => {
  const { world, run } = await staged();
  const args = ['imports', 'approve', run, '--key', people.key('bob')];
  const first = startPty(world, args, { cols: 100 });
  await first.waitFor('Your key will sign:');
  await first.waitFor(`digest: sha256:`);
  await first.waitFor(`Approve ${run}?`);
  first.type('\r');
  expect(await first.exited, first.text()).toBe(2);
  expect(first.text()).toContain('not confirmed');
  expect(await approvals(world, run)).toEqual([]);

  const second = startPty(world, [...args, '--lang', 'es'], { cols: 100 });
  await second.waitFor(`¿Aprobar la importación ${run}?`);
  second.type('s\r');
  expect(await second.exited, second.text()).toBe(0);
  expect(await approvals(world, run)).toHaveLength(1);
  await done(world, ['imports', 'send', run, '--yes']);
});

it('ssh-keygen asks for the passphrase of the key on the terminal; a wrong one signs nothing', async () => {
  const { world, run } = await staged();
  const key = join(world.folder, 'locked-key');
  writeFileSync(key, readFileSync(people.key('bob')), { mode: 0o600 });
  execFileSync('ssh-keygen', ['-q', '-p', '-P', '', '-N', 'open sesame 7', '-f', key]);
  const args = ['imports', 'approve', run, '--key', key, '--yes'];
  const wrong = startPty(world, args, { cols: 100 });
  await wrong.waitFor('Enter passphrase');
  wrong.type('canary\r');
  expect(await wrong.exited, wrong.text()).toBe(3);
  expect(wrong.text()).toContain('could not sign with');
  expect(wrong.text()).not.toContain('canary');
  expect(await approvals(world, run)).toEqual([]);

  const right = startPty(world, args, { cols: 100 });
  await right.waitFor('Enter passphrase');
  right.type('open sesame 7\r');
  expect(await right.exited, right.text()).toBe(0);
  expect(right.text()).not.toContain('sesame');
  await done(world, ['imports', 'send', run, '--yes']);
});

it('a key in ssh-agent signs with its .pub file alone, without a question', async () => {
  const { world, run } = await staged();
  const socket = join(world.folder, 'agent');
  const started = execFileSync('ssh-agent', ['-a', socket, '-s'], { encoding: 'utf8' });
  const pid = Number(/SSH_AGENT_PID=(\d+)/.exec(started)![1]);
  onTestFinished(() => void process.kill(pid));
  const env = { SSH_AUTH_SOCK: socket };
  execFileSync('ssh-add', ['-q', people.key('bob')], { env: { ...process.env, ...env } });
  // This file has only the public key.
  const key = join(world.folder, 'only.pub');
  writeFileSync(key, readFileSync(`${people.key('bob')}.pub`));
  const args = ['imports', 'approve', run, '--key', key, '--yes'];
  const without = startPty(world, args, { cols: 100 });
  expect(await without.exited, without.text()).toBe(3);
  const session = startPty(world, args, { cols: 100, env });
  expect(await session.exited, session.text()).toBe(0);
  expect(session.text()).not.toContain('passphrase');
  await done(world, ['imports', 'send', run, '--yes']);
});
