import { replaceDisk } from '../machine/disk.ts';
import { loadStandIns } from '../machine/loader.ts';
// Must be loaded before timers are replaced: it stores the real timers.
import '../machine/machine.ts';
import { replaceGlobals } from '../machine/replace-globals.ts';
import { here } from '../machine/world.ts';

/**
 * Makes this process a simulated machine. Call it before any module of proc is loaded. It plays one story of
 * each kind, which loads all modules.
 */
export async function prepare() {
  loadStandIns();
  replaceDisk();
  replaceGlobals(() => here().machine);
  const { simulate } = await import('./simulate.ts');
  const { scenarioOf } = await import('./scenario.ts');
  for (const work of ['items', 'imputations', 'requisition', 'writes'] as const) {
    await simulate({ ...scenarioOf(1), work, rows: 3, crashes: [] }).catch(() => undefined);
  }
  const { teamOf } = await import('./team.ts');
  await simulate(teamOf(1)).catch(() => undefined);
  return simulate;
}
