import { replaceDisk } from '../machine/disk.ts';
import { type Change, loadWith } from '../machine/loader.ts';
// Imported here, because this module must store the real timers before they are replaced.
import '../machine/machine.ts';
import { replaceGlobals } from '../machine/replace-globals.ts';
import { here } from '../machine/world.ts';

/**
 * Turns this process into a simulated machine, then loads proc. Call it once, before any module of proc is
 * loaded. It plays one story of each kind first, so that later stories load no modules.
 */
export async function prepare(changes: readonly Change[] = []) {
  loadWith(changes);
  replaceDisk();
  replaceGlobals(() => here().machine);
  const { simulate } = await import('./simulate.ts');
  const { scenarioOf } = await import('./scenario.ts');
  for (const work of ['items', 'imputations', 'requisition', 'writes'] as const) {
    await simulate({ ...scenarioOf(1), work, rows: 3, crashes: [] }).catch(() => undefined);
  }
  return simulate;
}
