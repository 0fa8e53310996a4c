import { messageOf, ProcError, systemCode } from '../../core/errors.ts';
import { isDamage } from '../../core/machine-errors.ts';

/**
 * Turns an error of SQLite or of the file system into a `ProcError`. Returns any other error
 * unchanged.
 */
export function journalFailure(path: string, thrown: unknown): unknown {
  if (thrown instanceof ProcError) return thrown;
  const code = Number((thrown as { errcode?: unknown } | null)?.errcode) & 0xff;
  if (isDamage(code)) return damaged(path, thrown);
  if (!(code > 0) && systemCode(thrown) === undefined) return thrown;
  const reason = code === 13 ? 'the disk is full' : messageOf(thrown);
  return new ProcError('state_unwritable', `cannot write the journal ${path}: ${reason}`, {
    hint: 'Free disk space, or check that you have write permission for the folder',
    cause: thrown,
  });
}

export function damaged(path: string, cause?: unknown): ProcError {
  return new ProcError('config_unreadable', `the journal ${path} is damaged`, {
    hint: 'Discard the run (proc imports discard RUN) and import the file again: rows whose code exists are skipped',
    cause,
  });
}

export function removed(path: string): ProcError {
  return new ProcError('state_unwritable', `the journal ${path} was removed during the run`, {
    hint: 'proc no longer knows which rows were sent. Check the service before you import the file again',
  });
}
