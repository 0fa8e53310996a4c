import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SRC = join(import.meta.dirname, '../../../src');

/** Replaces modules that need a network or other processes. Keyed by the path in the imports of proc. */
const STAND_INS: Readonly<Record<string, string>> = {
  undici: '../service/network.ts',
  pg: '../service/database.ts',
};

/** Applies the stand-ins to all modules that are loaded from now on. Source files stay unchanged. */
export function loadStandIns(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const standIn = STAND_INS[specifier];
      const isForProc = context.parentURL?.startsWith(pathToFileURL(SRC).href) === true;
      if (standIn === undefined || !isForProc) return next(specifier, context);
      const path = join(import.meta.dirname, standIn);
      return { url: pathToFileURL(path).href, shortCircuit: true };
    },
  });
}
