import { accessSync, constants, mkdirSync } from 'node:fs';
import { messageOf, ProcError, systemCode } from '../../core/errors.ts';

/**
 * Makes the folder of the journals, for this user alone.
 *
 * @throws ProcError `state_unwritable`
 */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
  } catch (thrown) {
    const reason = ['EACCES', 'EPERM'].includes(systemCode(thrown) ?? '')
      ? 'permission denied'
      : messageOf(thrown);
    throw new ProcError('state_unwritable', `The folder ${folder} cannot be used: ${reason}`, {
      hint: 'Check that it is yours, or set PROC_STATE_DIR to another folder',
      cause: thrown,
    });
  }
}
