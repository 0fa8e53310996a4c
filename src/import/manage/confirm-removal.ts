import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { typedAgain } from '../../core/text/typed.ts';

/** @throws ProcError `confirmation_required` */
export async function confirmRemoval(
  ports: Ports<'io' | 'ask' | 'self'>,
  question: string,
  what: string,
  hint = 'Add --yes',
): Promise<void> {
  if (ports.self.flags.yes) return;
  if (ports.io.terminal.interactive && (await ports.ask.confirm(question, false))) return;
  throw new ProcError('confirmation_required', `not confirmed: ${what}; nothing was changed`, {
    hint: `${hint}: ${typedAgain(ports.self.typed, ['--yes'])}`,
  });
}
