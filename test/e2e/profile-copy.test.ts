import { describe, expect, it } from 'vitest';
import { parsed } from '../support/history.ts';
import { errorOf, freshWorld } from '../support/run.ts';

async function place() {
  const world = await freshWorld();
  return (line: string) => world.run(line.split(' '));
}

describe('profile copy', () => {
  it('copies settings of all environments, without keys', async () => {
    const run = await place();
    const add = 'profile add acme --base-url https://x.example/api/v1';
    await run(`${add} -e staging`);
    await run(`${add} -e production`);
    await run('profile set acme -e staging protected=false dialect=limit=pageSize');
    await run('profile use acme -e staging');
    expect(parsed(await run('profile copy acme globex'))).toEqual({
      profile: 'globex',
      copiedFrom: 'acme',
      environments: ['staging', 'production'],
    });
    const copied = (await run('profile show globex')).stdout;
    expect(copied).toContain('limit=pageSize');
    expect((await run('profile show acme')).stdout).toBe(copied.replaceAll('globex', 'acme'));
    expect(errorOf(await run('profile copy acme globex')).message).toMatch(/already exists/);
    expect(parsed(await run('profile copy acme initech -e production'))).toMatchObject({
      environments: ['production'],
    });
    expect(errorOf(await run('profile copy nobody x')).code).toBe('profile_not_found');
  });

  it('leaves the key behind', async () => {
    const run = await place();
    await run('profile add acme -e staging --base-url https://x.example/api/v1');
    await run('profile set acme -e staging credentialCommand=["pass","acme"]');
    await run('profile copy acme globex');
    expect((await run('profile show acme')).stdout).toContain('pass');
    expect((await run('profile show globex')).stdout).not.toContain('pass');
  });
});
