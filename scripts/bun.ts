import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const CACHE = resolve(import.meta.dirname, '../node_modules/.cache/proc-bun');

/** The compiler of the single executable. */
export const BUN = {
  npm: '@oven/bun-linux-x64',
  version: '1.4.5',
  integrity:
    'sha512-IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==',
} as const;

/**
 * Downloads the compiler once, and checks its checksum every time.
 *
 * @param folder where to unpack it
 * @returns the path of the compiler
 */
export function unpackBun(folder: string): string {
  const { npm, version, integrity } = BUN;
  const file = join(CACHE, `${npm.replace('@', '').replace('/', '-')}-${version}.tgz`);
  if (!existsSync(file)) {
    mkdirSync(CACHE, { recursive: true });
    execFileSync('npm', ['pack', `${npm}@${version}`, '--silent', '--pack-destination', CACHE], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  const found = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  if (found !== integrity) {
    throw new Error(`${file}: expected ${integrity}, found ${found}. Remove it and try again.`);
  }
  execFileSync('tar', ['-xzf', file, '-C', folder, 'package/bin/bun']);
  return join(folder, 'package/bin/bun');
}
