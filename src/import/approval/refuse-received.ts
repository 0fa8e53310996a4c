import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { typedAgain } from '../../core/text/typed.ts';
import type { RunHeader } from '../ledger/header.ts';
import type { Journal } from '../ledger/journal.ts';
import { receiveCommand } from '../report/next-command.ts';

/**
 * The error for a run whose `imports receive` was interrupted: this machine has only some of its
 * rows.
 */
export function receivedInPart(header: RunHeader): ProcError {
  return new ProcError('invalid_usage', `${header.run} was received only in part`, {
    hint: `Receive it again: ${receiveCommand(header)}`,
    details: { run: header.run },
  });
}

/**
 * Refuses to send a received run without `--again`, because the machine that staged the run may
 * have sent it. If both machines send it, rows of nouns without a list are created twice.
 *
 * @throws ProcError `repeated_write`
 */
export function refuseReceived(journal: Journal, { self }: Ports<'self'>): void {
  const from = journal.get('receivedFrom');
  if (from === undefined || self.flags.again) return;
  const { run } = journal.header;
  const again = typedAgain(self.typed, ['--again']);
  throw new ProcError(
    'repeated_write',
    `${run} was staged on ${from}: if both machines send it, its rows may be created twice; nothing was sent`,
    {
      hint: `Send it on ${from}. To send it here instead, make sure that ${from} has not sent it, and discard it there. Then run: ${again}`,
      details: { run, from, command: again },
    },
  );
}
