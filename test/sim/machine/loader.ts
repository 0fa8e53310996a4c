import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface Change {
  /** Path below `src`. */
  readonly file: string;
  readonly line: string;
  readonly becomes: string;
}

const SRC = join(import.meta.dirname, '../../../src');

/** Replaces modules that need a network or other processes. Keyed by the path in the imports of proc. */
const STAND_INS: Readonly<Record<string, string>> = {
  undici: '../service/network.ts',
  pg: '../service/database.ts',
};

const applied = new Set<Change>();

/** False if the file was not loaded, or was loaded before {@link loadWith}. */
export function isApplied(change: Change): boolean {
  return applied.has(change);
}

/** The source of a file with the line changed. Throws if the line does not occur exactly once. */
export function changed({ file, line, becomes }: Change): string {
  const source = readFileSync(join(SRC, file), 'utf8');
  if (source.split(line).length !== 2) throw new Error(`${file} does not have once: ${line}`);
  return source.replace(line, () => becomes);
}

/**
 * Applies stand-ins and changed lines to all modules that are loaded from now on. Source files stay unchanged.
 */
export function loadWith(changes: readonly Change[] = []): void {
  for (const change of changes) changed(change);
  registerHooks({
    resolve(specifier, context, next) {
      const standIn = STAND_INS[specifier];
      const isForProc = context.parentURL?.startsWith(pathToFileURL(SRC).href) === true;
      if (standIn === undefined || !isForProc) return next(specifier, context);
      const path = join(import.meta.dirname, standIn);
      return { url: pathToFileURL(path).href, shortCircuit: true };
    },
    load(url, context, next) {
      const loaded = next(url, context);
      const change = changes.find(({ file }) => url === pathToFileURL(join(SRC, file)).href);
      if (change === undefined) return loaded;
      applied.add(change);
      return { ...loaded, source: changed(change) };
    },
  });
}
