import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A change of one line of proc. */
export interface Change {
  /** Path below `src`. */
  readonly file: string;
  readonly line: string;
  readonly becomes: string;
}

const SRC = join(import.meta.dirname, '../../../src');

/** The first read of a process goes through Node's own client; here all requests go through the simulated one. */
const FIRST_READ: Change = {
  file: 'client/connection/first-read.ts',
  line: 'const canRead = isFirst && ',
  becomes: 'const canRead = !isFirst && isFirst && ',
};

/** What a simulated machine does not have, by how proc imports it: the network, and other processes. */
const STAND_INS: Readonly<Record<string, string>> = {
  'undici/lib/dispatcher/client.js': '../service/network.ts',
  './ssh-keygen.ts': '../service/ssh-keygen.ts',
};

/** The source of a file with the line changed. Throws unless the line occurs exactly once. */
export function changed({ file, line, becomes }: Change): string {
  const source = readFileSync(join(SRC, file), 'utf8');
  if (source.split(line).length !== 2) throw new Error(`${file} does not have once: ${line}`);
  return source.replace(line, () => becomes);
}

/**
 * From now on, modules are loaded with the simulated client instead of undici's, simulated signatures, and with the changed lines.
 * The source on the disk stays as it is.
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
