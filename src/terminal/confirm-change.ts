import { declined, ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import { typedAgain } from '../core/text/typed.ts';

interface Change {
  question(): Promise<string>;
  /** What the command does, e.g. `discard draft d-7k3mqd`. */
  readonly what: string;
  /** The hint if proc cannot ask. proc appends the command with `--yes`. */
  readonly hint?: string;
}

/** @throws ProcError `confirmation_required`, `declined` */
export async function confirmChange(
  { question, what, hint = 'Add --yes' }: Change,
  { io, ask, self }: Ports<'io' | 'ask' | 'self'>,
): Promise<void> {
  if (self.flags.yes) return;
  if (!io.terminal.interactive) {
    throw new ProcError('confirmation_required', needsConfirmation(what), {
      hint: `${hint}: ${typedAgain(self.typed, ['--yes'])}`,
    });
  }
  if (await ask.confirm(await question(), false)) return;
  throw declined('local');
}

export function needsConfirmation(what: string): string {
  return `${gerund(what)} needs confirmation, and there is no terminal to ask on`;
}

/** `delete sector sec-9` → `deleting sector sec-9`; `DELETE /sectors/sec-9` stays. */
function gerund(infinitive: string): string {
  return infinitive.replace(/^(forget)\b/, '$1t').replace(/^([a-z]+?)e?(?= |$)/, '$1ing');
}
