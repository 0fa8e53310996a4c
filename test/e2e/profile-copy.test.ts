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

describe('names with accents', () => {
  const composed = 'producci\u00f3n';
  const decomposed = 'produccio\u0301n';

  it.each([
    ['profile set', `profile set acme -e ${decomposed} protected=true`],
    ['profile use', `profile use acme -e ${decomposed}`],
    ['profile show', `profile show acme -e ${decomposed}`],
    ['profile copy', `profile copy acme globex -e ${decomposed}`],
    ['profile remove', `profile remove acme -e ${decomposed} --yes`],
  ])('%s finds an environment whose name is typed in another Unicode form', async (_, line) => {
    const run = await place();
    await run(`profile add acme -e ${composed} --base-url https://x.example/api/v1`);
    const ran = await run(line);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.stdout).not.toContain(decomposed);
  });

  it('profile remove removes that environment', async () => {
    const run = await place();
    await run(`profile add acme -e staging --base-url https://x.example/api/v1`);
    await run(`profile add acme -e ${composed} --base-url https://x.example/api/v1`);
    await run(`profile remove acme -e ${decomposed} --yes`);
    const names = parsed(await run('profile show acme')) as unknown as { environment: string }[];
    expect(names.map((one) => one.environment)).toEqual(['staging']);
  });
});

describe('profile set without -e', () => {
  it('names the environments if there are several, or the command that adds the first', async () => {
    const run = await place();
    const add = 'profile add acme --base-url https://x.example/api/v1';
    await run(`${add} -e staging`);
    await run(`${add} -e production`);
    expect(errorOf(await run('profile set acme protected=true'))).toMatchObject({
      code: 'environment_not_found',
      message: '"acme" has several environments: which one to change?',
      hint: 'Name it with -e: staging, production',
    });
    await run('profile remove acme -e staging --yes');
    await run('profile remove acme -e production --yes');
    expect(errorOf(await run('profile set acme protected=true'))).toMatchObject({
      code: 'environment_not_found',
      message: '"acme" has no environments',
      hint: 'Add one: proc profile add acme -e NAME --base-url URL',
    });
  });
});
