import type { World } from '../machine/world.ts';
import { concluded } from './conclusions.ts';
import { type Lived, live } from './life.ts';
import type { Scenario } from './scenario.ts';

const MOST_AGAIN = 3;

/** Resolves every unconfirmed row by what the database of the service says, and resumes the run. */
export async function resolveAll(
  world: World,
  scenario: Scenario,
  { stderr }: Lived,
  env: Readonly<Record<string, string>>,
  pace: readonly string[],
): Promise<void> {
  const { promises, service, books } = world;
  const run = /imports resolve (\S+?)["\s]/.exec(stderr)?.[1];
  if (run === undefined) return;
  // By now the service has applied every request that it will ever apply.
  await world.machine.pass(scenario.settleMs);
  const parked = [...books.rows.values()].filter(
    (row) => row.run === run && row.state === 'unconfirmed',
  );
  for (const { thing, row } of parked) {
    const [id] = service.idsOf(thing.split(' ')[1]!, organizationOf(env));
    const outcome = id === undefined ? ['--resend', '--again'] : ['--adopt', id];
    if (id === undefined) promises.outside.personSaysAbsent(thing);
    const argv = ['imports', 'resolve', run, String(row), ...outcome, '--yes', '-o', 'json'];
    let lived = await live(world, argv, env, undefined);
    // The network may still fail while the list is read. A person tries again.
    for (let again = 0; lived.exitCode === 7 && again < MOST_AGAIN; again++) {
      lived = await live(world, argv, env, undefined);
    }
    // It may still be looked up; the hint is to resume first. Or the service has said its id of another row.
    if (lived.stderr.includes('not been looked up yet')) continue;
    if (scenario.falseIds > 0 && lived.stderr.includes('was created by row')) continue;
    if (lived.exitCode !== 0 && lived.exitCode !== 9 && lived.exitCode !== 10) {
      promises.break('the next command is named and works', `resolve ${thing}: ${lived.stderr}`);
    }
  }
  const lived = await live(world, ['imports', 'resume', run, ...pace], env, undefined);
  concluded(world, scenario, lived, ['imports', 'resume', run]);
}

function organizationOf({ PROC_API_KEY: key }: Readonly<Record<string, string>>): string {
  return key === 'proc-sandbox-key' ? 'org-1' : 'zz-org-2';
}
