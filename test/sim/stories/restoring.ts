import type { World } from '../machine/world.ts';
import { argvOf, envOf, prepareFiles } from './importing.ts';
import { live, liveTogether } from './life.ts';
import type { Scenario } from './scenario.ts';

/** Longer than the service takes to apply a request. */
const LATER_MS = 20_000;

/**
 * An older state of the ledger is put back after an import, and the same import begins again: what the ledger does not
 * know any more must not be sent. What was sent is told by the machine's memory, or by the list.
 */
export async function restoring(world: World, scenario: Scenario): Promise<number> {
  const { machine, disk } = world;
  await prepareFiles(world, scenario);
  const env = envOf(world, 0, true);
  const argv = argvOf(scenario);
  const { restoresAt = 0, crashes } = scenario;
  let turns = 0;
  let putBack = restoresAt === 0 ? disk.backUp() : undefined;
  const isKilled = () => {
    if (++turns === restoresAt) putBack = disk.backUp();
    return false;
  };
  await liveTogether(world, [{ argv, env, crash: crashes[0], isKilled }]);
  await machine.pass(LATER_MS);
  putBack?.();
  // A job may have lost its flag, or still have it.
  const others = argv.filter((word) => word !== '--first-run');
  for (const again of others.length < argv.length ? [others, argv] : [argv])
    await live(world, again, env, undefined);
  return 3;
}
