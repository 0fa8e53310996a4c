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

/**
 * Disables proc's fast first read, which uses Node's own client. So the simulated client sends all requests.
 */
const FIRST_READ: Change = {
  file: 'client/connection/first-read.ts',
  line: 'const canRead = isFirst && ',
  becomes: 'const canRead = !isFirst && isFirst && ',
};

/** Replaces modules that need a network or other processes. Keyed by the path in the imports of proc. */
const STAND_INS: Readonly<Record<string, string>> = {
  'undici/lib/dispatcher/client.js': '../service/network.ts',
};

/** The source of a file with the line changed. Throws if the line does not occur exactly once. */
export function changed({ file, line, becomes }: Change): string {
  const source = readFileSync(join(SRC, file), 'utf8');
  if (source.split(line).length !== 2) throw new Error(`${file} does not have once: ${line}`);
  return source.replace(line, () => becomes);
}

/**
 * Applies stand-ins and changed lines to all modules that are loaded from now on. Source files stay unchanged.
 */
export function loadWith(given: readonly Change[] = []): void {
  const changes = [FIRST_READ, ...given];
  for (const change of changes) changed(change);
  registerHooks({
    resolve(specifier, context, next) {
      const standIn = STAND_INS[specifier];
      if (standIn === undefined) return next(specifier, context);
      const path = join(import.meta.dirname, standIn);
      return { url: pathToFileURL(path).href, shortCircuit: true };
    },
    load(url, context, next) {
      const loaded = next(url, context);
      const change = changes.find(({ file }) => url === pathToFileURL(join(SRC, file)).href);
      if (change !== undefined) return { ...loaded, source: changed(change) };
      return loaded;
    },
  });
}
