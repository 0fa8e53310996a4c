import { expect, it } from 'vitest';
import { startHostile } from '../support/hostile-service.ts';
import { openWorld } from '../support/run.ts';

it.each([
  ['thrown in a callback', "setTimeout(() => { throw new Error('a stray one'); }, 300)"],
  [
    'of a promise that nobody awaits',
    "setTimeout(() => Promise.reject(new Error('a stray one')), 300)",
  ],
])(
  'an error %s is reported without a stack trace, with the exit code of a bug',
  async (_, script) => {
    await using world = await openWorld();
    // The service never answers, so the command still runs when the error is thrown.
    await using service = await startHostile(() => undefined);
    const file = await world.file('stray.cjs', script);
    const ran = await world.spawn(['orders', 'list', '-o', 'json'], {
      env: {
        PROC_BASE_URL: service.baseUrl,
        PROC_API_KEY: 'k-1',
        NODE_OPTIONS: `--require ${file}`,
      },
    });
    expect(ran.exitCode).toBe(1);
    expect(ran.stdout).toBe('');
    expect(JSON.parse(ran.stderr).error).toMatchObject({ exitCode: 1 });
    expect(ran.stderr).toContain('a stray one');
    expect(ran.stderr).not.toMatch(/\n\s+at |node:internal/);
  },
);
