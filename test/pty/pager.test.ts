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

describe('PROC_PAGER', () => {
  it('shows what is printed at a terminal, with colours', async () => {
    const { pager, ...fresh } = await world();
    const session = startPty(fresh, ['sectors', 'list', '--where', 'key=brakes'], {
      env: { PROC_PAGER: pager },
    });
    expect(await session.exited).toBe(0);
    expect(screenOf(session.text(), 80)).toMatch(/^\| KEY .*\n\| ─+.*\n\| brakes +Brakes/);
    expect(await readFile(join(fresh.cwd, 'pager.log'), 'utf8')).toBe('LESS=FRX\n');
  });

  it('ends the output without an error if the reader leaves', async () => {
    const { pager: _, ...fresh } = await world();
    const args = ['orders', 'list', '--all', '-o', 'ndjson'];
    const session = startPty(fresh, args, { env: { PROC_PAGER: 'head -n 1' } });
    expect(await session.exited).toBe(0);
    expect(session.text().trim().split('\n')).toHaveLength(1);
  });

  it('is an error if it cannot be started', async () => {
    const { pager: _, ...fresh } = await world();
    const session = startPty(fresh, ['sectors', 'list'], { env: { PROC_PAGER: 'no-such-pager' } });
    expect(await session.exited).not.toBe(0);
    expect(session.text()).toContain('cannot run PROC_PAGER: no-such-pager');
  });

  it('is not used for a file, or without a terminal', async () => {
    const { pager, ...fresh } = await world();
    const args = ['sectors', 'list', '--out', 'sectors.csv'];
    const session = startPty(fresh, args, { env: { PROC_PAGER: pager } });
    expect(await session.exited).toBe(0);
    await expect(readFile(join(fresh.cwd, 'pager.log'))).rejects.toThrow('ENOENT');
  });
});
