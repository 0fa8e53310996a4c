import { join, resolve } from 'node:path';
import type { Ports } from '../../core/ports.ts';
import { stateDir } from '../../settings/read/paths.ts';

export const DB_FLAG = {
  kind: 'string',
  value: 'file',
  doc: 'the database (default: sandbox.db in the state folder)',
} as const;

export function databaseFile(ports: Ports<'self'>, given: string | undefined): string {
  return given === undefined
    ? join(stateDir(ports.self.env), 'sandbox.db')
    : resolve(ports.self.cwd, given);
}
