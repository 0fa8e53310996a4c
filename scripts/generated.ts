import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Writes a folder of generated files. `--check` only compares: if a file differs, prints the
 * command to run and exits with 1.
 */
export function keepInStep(
  folder: string,
  files: ReadonlyMap<string, string>,
  command: string,
): void {
  if (!process.argv.includes('--check')) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
    return;
  }
  const existing = new Set(readdirSync(folder));
  const stale = [...files]
    .filter(
      ([name, text]) => !existing.has(name) || readFileSync(join(folder, name), 'utf8') !== text,
    )
    .map(([name]) => name);
  const extra = [...existing].filter((name) => !files.has(name));
  if (stale.length === 0 && extra.length === 0) return;
  const names = [...stale, ...extra].join(', ');
  console.error(`${basename(folder)}/ is out of date (${names}). Run: ${command}`);
  process.exitCode = 1;
}
