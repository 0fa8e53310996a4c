import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { always, http, startHostile, targetOf } from '../support/hostile-service.ts';
import { startPty } from '../support/pty.ts';
import { freshWorld } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { screenOf } from '../support/screen.ts';

async function world() {
  const sandbox = await startTestSandbox();
  const fresh = await freshWorld({ PROC_BASE_URL: sandbox.baseUrl });
  const pager = join(fresh.cwd, 'pager.sh');
  await writeFile(pager, '#!/bin/sh\necho "LESS=$LESS" > pager.log\nsed "s/^/| /"\n');
  await chmod(pager, 0o755);
  return { ...fresh, pager };
}

/** Longer than the 50 lines of the test terminal. */
const LONG = ['orders', 'list', '--limit', '60', '--order-by', 'code'];

describe('the pager', () => {
  it.each([
    [{ PROC_PAGER: './pager.sh' }],
    [{ PAGER: './pager.sh' }],
    [{ PROC_PAGER: './pager.sh', PAGER: 'no-such-pager' }],
  ])('shows a list that is longer than the screen: %o', async (env) => {
    const { pager: _, ...fresh } = await world();
    const session = startPty(fresh, LONG, { env });
    expect(await session.exited).toBe(0);
    expect(screenOf(session.text(), 100)).toMatch(/^\| CODE .*\n\| ─+.*\n\| PO-00001 /);
  });

  it.each([
    ['a list that fits the screen', ['sectors', 'list', '--where', 'key=brakes'], {}],
    ['JSON', [...LONG, '-o', 'json'], {}],
    ['an empty PROC_PAGER', LONG, { PROC_PAGER: '' }],
  ])('is not used for %s', async (_name, args, env) => {
    const { pager, ...fresh } = await world();
    const session = startPty(fresh, args, { env: { PAGER: pager, ...env } });
    expect(await session.exited).toBe(0);
    expect(session.text()).toMatch(/brakes|PO-00001/);
    await expect(readFile(join(fresh.cwd, 'pager.log'))).rejects.toThrow('ENOENT');
  });

  it('gets colours', async () => {
    const { pager, ...fresh } = await world();
    const session = startPty(fresh, LONG, { env: { PROC_PAGER: pager } });
    expect(await session.exited).toBe(0);
    expect(session.text()).toContain('\u001b[1m');
    expect(await readFile(join(fresh.cwd, 'pager.log'), 'utf8')).toBe('LESS=FRX\n');
  });

  it('ends the output without an error if the reader leaves', async () => {
    const { pager: _, ...fresh } = await world();
    const args = ['orders', 'list', '--all'];
    const session = startPty(fresh, args, { env: { PAGER: 'head -n 1' } });
    expect(await session.exited).toBe(0);
    expect(session.text().trim().split('\n')).toHaveLength(1);
  });

  it('is an error if PROC_PAGER cannot be started', async () => {
    const { pager: _, ...fresh } = await world();
    const session = startPty(fresh, LONG, { env: { PROC_PAGER: 'no-such-pager' } });
    expect(await session.exited).not.toBe(0);
    expect(session.text()).toContain('cannot run PROC_PAGER: no-such-pager');
  });

  it('is left out if PAGER cannot be started', async () => {
    const { pager: _, ...fresh } = await world();
    const session = startPty(fresh, LONG, { env: { PAGER: 'no-such-pager' } });
    expect(await session.exited).toBe(0);
    expect(session.text()).toContain('PO-00001');
    expect(session.text()).toContain('PO-00060');
  });

  it('shows a list that may be incomplete, and the exit code says so', async () => {
    const rows = Array.from({ length: 100 }, (_, at) => ({ id: `po-${at}`, code: `PO-000${at}` }));
    await using service = await startHostile(always(http(200, JSON.stringify(rows))));
    const fresh = await freshWorld(targetOf(service));
    const session = startPty(fresh, ['orders', 'list', '--all'], { env: { PAGER: 'cat' } });
    expect(await session.exited).toBe(10);
    expect(session.text()).toContain('PO-00099');
  });

  it('never gets the key, even if the service returns it', async () => {
    const rows = Array.from({ length: 60 }, (_, at) => ({ code: `A-${at}`, title: 'k-secret-1' }));
    await using service = await startHostile(always(http(200, JSON.stringify(rows))));
    const key = { PROC_API_KEY: 'k-secret-1', PROC_DIALECT: 'paging=none' };
    const { pager } = await world();
    const fresh = await freshWorld({ ...targetOf(service), ...key });
    const args = ['orders', 'list', '--fields', 'code,title'];
    const session = startPty(fresh, args, { env: { PAGER: pager } });
    expect(await session.exited).toBe(0);
    expect(session.text()).toMatch(/\| A-59 /);
    expect(session.text()).not.toContain('k-secret-1');
  });

  it('is not used for a file, or without a terminal', async () => {
    const { pager, ...fresh } = await world();
    const args = [...LONG, '--out', 'orders.csv'];
    const session = startPty(fresh, args, { env: { PROC_PAGER: pager } });
    expect(await session.exited).toBe(0);
    await expect(readFile(join(fresh.cwd, 'pager.log'))).rejects.toThrow('ENOENT');
  });
});
