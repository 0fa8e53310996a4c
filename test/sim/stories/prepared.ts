import { replaceDisk } from '../machine/disk.ts';
import { type Change, loadWith } from '../machine/loader.ts';
// Takes the real timers before they are replaced.
import '../machine/machine.ts';
import { replaceGlobals } from '../machine/replace-globals.ts';
import { here } from '../machine/world.ts';

/**
 * Makes this process a simulated machine, then loads proc. To be called once, before anything of proc is
 * loaded; what a story needs is loaded by a first one that does not count.
 */
export async function prepare(changes: readonly Change[] = []) {
  loadWith(changes);
  replaceDisk();
  replaceGlobals(() => here().machine);
  const { simulate } = await import('./simulate.ts');
  const { scenarioOf } = await import('./scenario.ts');
  for (const work of ['items', 'imputations', 'writes'] as const) {
    await simulate({ ...scenarioOf(1), work, rows: 3, crashes: [] }).catch(() => undefined);
  }
  return simulate;
}
