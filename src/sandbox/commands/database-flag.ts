import { isAbsolute, join, resolve } from 'node:path';
import type { Ports } from '../../core/ports.ts';
import { requireWorkingFolder } from '../../core/process/working-folder.ts';
import { stateDir } from '../../settings/read/paths.ts';

export const DB_FLAG = {
  kind: 'string',
  value: 'file',
  doc: 'database file',
  defaultText: 'sandbox.db in the state folder',
} as const;

export function databaseFile(ports: Ports<'self'>, given: string | undefined): string {
  if (given === undefined) return join(stateDir(ports.self.env), 'sandbox.db');
  if (!isAbsolute(given)) requireWorkingFolder();
  return resolve(ports.self.cwd, given);
}
