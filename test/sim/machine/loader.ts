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

/** Sends the first read of a process through the simulated client too, instead of Node's own client. */
const FIRST_READ: Change = {
  file: 'client/connection/first-read.ts',
  line: 'const canRead = isFirst && ',
  becomes: 'const canRead = !isFirst && isFirst && ',
};

/**
 * Modules for what a simulated machine does not have, the network and other processes. Keyed by the path from
 * which proc imports the original.
 */
const STAND_INS: Readonly<Record<string, string>> = {
  'undici/lib/dispatcher/client.js': '../service/network.ts',
  './ssh-keygen.ts': '../service/ssh-keygen.ts',
};

/** The source of a file with the line changed. Throws if the line does not occur exactly once. */
export function changed({ file, line, becomes }: Change): string {
  const source = readFileSync(join(SRC, file), 'utf8');
  if (source.split(line).length !== 2) throw new Error(`${file} does not have once: ${line}`);
  return source.replace(line, () => becomes);
}

/**
 * Registers the simulated client, the simulated signatures and the changed lines for all modules that are
 * loaded from now on. Files on the disk stay as they are.
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
