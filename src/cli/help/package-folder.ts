import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { visibleLines } from '../../terminal/sanitise.ts';
import type { Surroundings } from '../wire/surroundings.ts';

type Self = Pick<Surroundings, 'selfCommand'>;

/** The script may be started by a link, so its real path is needed. */
export function packageFolder(name: string, { selfCommand }: Self): string {
  const script = selfCommand.at(-1) ?? '';
  return resolve(existsSync(script) ? realpathSync(script) : script, '../..', name);
}

export function examplesFolder(self: Self): string {
  return visibleLines(packageFolder('examples', self));
}
