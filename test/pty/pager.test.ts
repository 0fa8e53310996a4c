import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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

  it('is an error if it cannot be started', async () => {
    const { pager: _, ...fresh } = await world();
    for (const variable of ['PROC_PAGER', 'PAGER']) {
      const session = startPty(fresh, LONG, { env: { [variable]: 'no-such-pager' } });
      expect(await session.exited).not.toBe(0);
      expect(session.text()).toContain(`cannot run ${variable}: no-such-pager`);
    }
  });

  it('is not used for a file, or without a terminal', async () => {
    const { pager, ...fresh } = await world();
    const args = [...LONG, '--out', 'orders.csv'];
    const session = startPty(fresh, args, { env: { PROC_PAGER: pager } });
    expect(await session.exited).toBe(0);
    await expect(readFile(join(fresh.cwd, 'pager.log'))).rejects.toThrow('ENOENT');
  });
});
