import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const told = new Set<string>();

/**
 * Whether a program is installed that a test needs. Without it, the test may be left out, but not in CI: there, nobody
 * would miss it.
 */
export function isInstalled(program: string): boolean {
  const found = (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (found || told.has(program)) return found;
  if (process.env.CI) throw new Error(`${program} is missing: .ci/run installs what tests need`);
  told.add(program);
  process.stderr.write(`${program} is missing: what needs it is NOT TESTED here\n`);
  return false;
}
