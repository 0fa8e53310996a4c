import { ProcError } from '../../core/errors.ts';
import type { RunHeader } from '../ledger/header.ts';
import { receiveCommand } from '../report/next-command.ts';

/** The error for a run of which this machine has only some rows, because `imports receive` was interrupted. */
export function receivedInPart(header: RunHeader): ProcError {
  return new ProcError('invalid_usage', `${header.run} was received only in part`, {
    hint: `Receive it again: ${receiveCommand(header)}`,
    details: { run: header.run },
  });
}
