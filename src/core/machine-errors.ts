import { messageOf, ProcError, systemCode } from './errors.ts';

/**
 * proc's error for a problem of the machine, such as a full disk or a damaged database. Returns undefined
 * for all other errors.
 */
export function machineError(thrown: unknown): ProcError | undefined {
  const { syscall, path, errcode } = (thrown ?? {}) as {
    syscall?: unknown;
    path?: unknown;
    errcode?: unknown;
  };
  const place = typeof path === 'string' ? `: ${path}` : '';
  const fail = (message: string, hint: string) =>
    new ProcError('state_unwritable', message, { hint, cause: thrown });
  if (syscall === 'uv_cwd') {
    return new ProcError('invalid_usage', 'The working directory no longer exists', {
      hint: 'Change to a folder that exists, for instance: cd ~',
      cause: thrown,
    });
  }
  switch (systemCode(thrown)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return fail(`The disk is full${place}`, MAKE_ROOM);
    case 'EFBIG':
      return fail(
        `The limit on file sizes is reached${place}`,
        'Raise the limit: ulimit -f unlimited',
      );
    case 'EROFS':
      return fail(`The file system is read-only${place}`, CHECK_FOLDER);
    case 'EMFILE':
    case 'ENFILE':
      return fail('Too many files are open', 'Raise the limit of open files: ulimit -n 1024');
    case 'ERR_SQLITE_ERROR':
      return isDamage(errcode)
        ? new ProcError(
            'config_unreadable',
            `A database of proc is damaged: ${messageOf(thrown)}`,
            {
              hint: 'See the folder with: proc doctor. Move the damaged file away and run the command again',
              cause: thrown,
            },
          )
        : fail(`A database of proc cannot be used: ${reasonOf(thrown)}`, CHECK_FOLDER);
  }
  return undefined;
}

const MAKE_ROOM = 'Free some disk space, then run the command again';
/** For a folder of proc that cannot be written. */
export const CHECK_FOLDER =
  'Check the free disk space and who owns the folder, or set PROC_STATE_DIR to another folder';

/**
 * SQLITE_CORRUPT, SQLITE_FORMAT or SQLITE_NOTADB. The lower byte of an extended code is its primary code.
 */
export function isDamage(errcode: unknown): boolean {
  return [11, 24, 26].includes(Number(errcode) & 0xff);
}

/** Code 13 is SQLITE_FULL. */
export function reasonOf(thrown: unknown): string {
  if (systemCode(thrown) === 'EACCES') return 'permission denied';
  const { errcode } = (thrown ?? {}) as { errcode?: unknown };
  return (Number(errcode) & 0xff) === 13 ? 'the disk is full' : messageOf(thrown);
}
