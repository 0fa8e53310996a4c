import { messageOf, ProcError, systemCode } from '../../core/errors.ts';
import { isDamage } from '../../core/machine-errors.ts';

/** What SQLite throws at work on a journal, in words. */
export function journalFailure(path: string, thrown: unknown): unknown {
  if (thrown instanceof ProcError) return thrown;
  const code = Number((thrown as { errcode?: unknown } | null)?.errcode) & 0xff;
  if (isDamage(code)) return damaged(path, thrown);
  if (!(code > 0) && systemCode(thrown) === undefined) return thrown;
  const reason = code === 13 ? 'the disk is full' : messageOf(thrown);
  return new ProcError('state_unwritable', `The journal ${path} cannot be written: ${reason}`, {
    hint: 'Make room, or check that the folder is yours and can be written to',
    cause: thrown,
  });
}

export function damaged(path: string, cause?: unknown): ProcError {
  return new ProcError('config_unreadable', `The journal ${path} is damaged`, {
    hint: 'Discard the run (proc imports discard RUN) and import the file again: what exists by its code is skipped',
    cause,
  });
}

export function removed(path: string): ProcError {
  return new ProcError('state_unwritable', `The journal ${path} was removed during the run`, {
    hint: 'What was sent is recorded nowhere: check the service before you import the file again',
  });
}
