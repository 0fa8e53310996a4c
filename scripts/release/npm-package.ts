import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { list } from 'tar';

const ROOT = resolve(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/proc-release');

export interface PackedFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/**
 * Files of a published package. Downloads the package once, and checks its checksum every time.
 *
 * @param wanted paths in the package; missing files are left out
 */
export async function filesOfPackage(
  { npm, version, integrity }: { npm: string; version: string; integrity: string },
  wanted: readonly string[],
): Promise<PackedFile[]> {
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
  const files: PackedFile[] = [];
  await list({
    file,
    filter: (path) => wanted.includes(path.replace('package/', '')),
    onReadEntry: (entry) => {
      const chunks: Buffer[] = [];
      entry.on('data', (chunk: Buffer) => chunks.push(chunk));
      entry.on('end', () =>
        files.push({ path: entry.path.replace('package/', ''), bytes: Buffer.concat(chunks) }),
      );
    },
  });
  return files;
}

/** What `npm pack` would publish: paths below the root of the project. */
export function ownFiles(): string[] {
  const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const answer = JSON.parse(text) as Record<string, Packed> | readonly Packed[];
  const [packed] = Object.values(answer);
  return packed!.files.map(({ path }) => path).sort();
}

interface Packed {
  readonly files: readonly { readonly path: string }[];
}
