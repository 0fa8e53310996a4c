import { join, resolve } from 'node:path';
import type { Context } from '../../core/command.ts';
import { stateDir } from '../../settings/read/paths.ts';

export const DB_FLAG = {
  kind: 'string',
  value: 'file',
  doc: 'the database (default: sandbox.db in the state folder)',
} as const;

export function databaseFile(ctx: Context, given: string | undefined): string {
  return given === undefined ? join(stateDir(ctx.env), 'sandbox.db') : resolve(given);
}
