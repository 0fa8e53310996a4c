import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** One line of proc, changed: what the simulation must find. */
export interface Change {
  /** Below `src`. */
  readonly file: string;
  readonly line: string;
  readonly becomes: string;
}

const ROOT = join(import.meta.dirname, '../../..');

/**
 * Loads proc with the simulated client in the place of undici's, and with lines changed on their way from
 * the disk: product code knows nothing of either.
 */
export function loadWith(changes: readonly Change[] = []): void {
  const left = new Set(changes);
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== 'undici/lib/dispatcher/client.js') return next(specifier, context);
      return {
        url: pathToFileURL(join(ROOT, 'test/sim/service/network.ts')).href,
        shortCircuit: true,
      };
    },
    load(url, context, next) {
      const loaded = next(url, context);
      for (const change of left) {
        if (url !== pathToFileURL(join(ROOT, 'src', change.file)).href) continue;
        const source = String(loaded.source);
        if (source.split(change.line).length !== 2) {
          throw new Error(`${change.file} does not have this line once: ${change.line}`);
        }
        return { ...loaded, source: source.replace(change.line, () => change.becomes) };
      }
      return loaded;
    },
  });
}
