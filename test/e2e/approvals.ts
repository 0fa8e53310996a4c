import { expect } from 'vitest';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import type { LoggedSandbox } from '../support/service.ts';

const ITEMS = 'code,name\nAP-1,Bolt\nAP-2,Nut\n';

export async function done(world: World, args: readonly string[], exitCode = 0) {
  const ran = await world.run(args);
  expect(ran, ran.stderr).toMatchObject({ exitCode });
  return ran.stdout === '' ? {} : JSON.parse(ran.stdout);
}

export async function refused(world: World, args: readonly string[], exitCode: number) {
  const ran = await world.run(args);
  expect(ran, ran.stderr).toMatchObject({ exitCode });
  return errorOf(ran);
}

/** A world with a staged run. Its profile acme demands approvals. */
export async function demanding(
  sandbox: LoggedSandbox,
  settings: readonly string[],
): Promise<{ world: World; run: string }> {
  const world = await freshWorld({
    PROC_API_KEY: sandbox.target.PROC_API_KEY,
    PROC_PROFILE: 'acme',
    PROC_ENV: 'here',
  });
  await done(world, ['profile', 'add', 'acme', '-e', 'here', '--base-url', sandbox.baseUrl]);
  if (settings.length > 0) {
    await done(world, ['profile', 'set', 'acme', '-e', 'here', ...settings]);
  }
  await world.file('a.csv', ITEMS);
  const { run } = await done(world, ['items', 'import', 'a.csv', '--stage']);
  return { world, run };
}
