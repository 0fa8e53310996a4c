import { messageOf, ProcError, systemCode } from './errors.ts';
import type { Phrase, Said } from './text/phrase.ts';

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
  const fail = (message: Phrase, hint: Phrase) =>
    new ProcError('state_unwritable', message, { hint, cause: thrown });
  if (syscall === 'uv_cwd') {
    return new ProcError(
      'invalid_usage',
      { en: 'The working directory no longer exists', es: 'La carpeta de trabajo ya no existe' },
      {
        hint: {
          en: 'Change to a folder that exists, for instance: cd ~',
          es: 'Cambie a una carpeta que exista, por ejemplo: cd ~',
        },
        cause: thrown,
      },
    );
  }
  switch (systemCode(thrown)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return fail({ en: `The disk is full${place}`, es: `El disco está lleno${place}` }, MAKE_ROOM);
    case 'EFBIG':
      return fail(
        {
          en: `The limit on file sizes is reached${place}`,
          es: `Se alcanzó el límite de tamaño de los archivos${place}`,
        },
        {
          en: 'Raise the limit: ulimit -f unlimited',
          es: 'Suba el límite: ulimit -f unlimited',
        },
      );
    case 'EROFS':
      return fail(
        {
          en: `The file system is read-only${place}`,
          es: `El sistema de archivos es de solo lectura${place}`,
        },
        CHECK_FOLDER,
      );
    case 'EMFILE':
    case 'ENFILE':
      return fail(
        { en: 'Too many files are open', es: 'Hay demasiados archivos abiertos' },
        {
          en: 'Raise the limit of open files: ulimit -n 1024',
          es: 'Suba el límite de archivos abiertos: ulimit -n 1024',
        },
      );
    case 'ERR_SQLITE_ERROR':
      return isDamage(errcode)
        ? new ProcError(
            'config_unreadable',
            {
              en: `A database of proc is damaged: ${messageOf(thrown)}`,
              es: `Una base de datos de proc está dañada: ${messageOf(thrown)}`,
            },
            {
              hint: {
                en: 'See the folder with: proc config get state-folder. Move the damaged file away and run the command again',
                es: 'Vea la carpeta con: proc config get state-folder. Aparte el archivo dañado y ejecute el comando otra vez',
              },
              cause: thrown,
            },
          )
        : fail(
            {
              en: `A database of proc cannot be used: ${reasonOf(thrown).en}`,
              es: `No se puede usar una base de datos de proc: ${reasonOf(thrown).es}`,
            },
            CHECK_FOLDER,
          );
  }
  return undefined;
}

const MAKE_ROOM = {
  en: 'Free some disk space, then run the command again',
  es: 'Libere espacio en el disco y ejecute el comando otra vez',
};
/** For a folder of proc that cannot be written. */
export const CHECK_FOLDER = {
  en: 'Check the free disk space and who owns the folder, or set PROC_STATE_DIR to another folder',
  es: 'Compruebe que el disco tiene espacio y que la carpeta es suya, o ponga otra carpeta en PROC_STATE_DIR',
};

/**
 * SQLITE_CORRUPT, SQLITE_FORMAT or SQLITE_NOTADB. The lower byte of an extended code is its primary code.
 */
export function isDamage(errcode: unknown): boolean {
  return [11, 24, 26].includes(Number(errcode) & 0xff);
}

/** Code 13 is SQLITE_FULL. */
export function reasonOf(thrown: unknown): Said {
  if (systemCode(thrown) === 'EACCES') return { en: 'permission denied', es: 'no hay permiso' };
  const { errcode } = (thrown ?? {}) as { errcode?: unknown };
  return (Number(errcode) & 0xff) === 13
    ? { en: 'the disk is full', es: 'el disco está lleno' }
    : { en: messageOf(thrown), es: messageOf(thrown) };
}
