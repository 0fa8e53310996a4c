import { declined, ProcError } from '../core/errors.ts';
import type { GlobalFlags } from '../core/global-flags.ts';
import type { Io, Prompt } from '../core/io.ts';
import { capital, typedAgain } from '../core/wording.ts';

interface Asking {
  readonly io: Pick<Io, 'terminal'>;
  readonly prompt: Pick<Prompt, 'confirm'>;
  readonly flags: Pick<GlobalFlags, 'yes'>;
  readonly typed: readonly string[];
}

/**
 * Asks before a change on this machine.
 *
 * @param what the command does, e.g. `remove 3 ended runs`
 * @throws ProcError `confirmation_required`, `declined`
 */
export async function confirmChange(
  what: string,
  { io, prompt, flags, typed }: Asking,
): Promise<void> {
  if (flags.yes) return;
  if (!io.terminal.interactive) {
    throw new ProcError('confirmation_required', needsConfirmation(what), {
      hint: `Add --yes: ${typedAgain(typed, ['--yes'])}`,
    });
  }
  if (await prompt.confirm(`${capital(what)}?`, false)) return;
  throw declined();
}

export function needsConfirmation(what: string): string {
  return `${gerund(what)} needs confirmation, and there is no terminal to ask on`;
}

/** `delete sector sec-9` → `deleting sector sec-9`; `DELETE /sectors/sec-9` stays. */
function gerund(infinitive: string): string {
  return infinitive.replace(/^([a-z]+?)e?(?= |$)/, '$1ing');
}
