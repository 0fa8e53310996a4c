import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { typedAgain } from '../../core/text/typed.ts';

interface Change {
  question(): Promise<string>;
  /** Error message for a non-interactive terminal. */
  readonly unasked: string;
  /** Error message if the person declines. */
  readonly refused: string;
}

/**
 * Asks for confirmation before something stored on this machine is removed, unless `--yes` is given.
 *
 * @throws ProcError `confirmation_required`
 */
export async function confirmChange(
  { question, unasked, refused }: Change,
  { io, ask, self }: Ports<'io' | 'ask' | 'self'>,
): Promise<void> {
  if (self.flags.yes) return;
  if (!io.terminal.interactive) {
    throw new ProcError('confirmation_required', unasked, {
      hint: `Add --yes: ${typedAgain(self.typed, ['--yes'])}`,
    });
  }
  if (await ask.confirm(await question(), false)) return;
  throw new ProcError('confirmation_required', refused);
}
