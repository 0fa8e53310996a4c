import type { Context } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { type SettingsMessages, settingsMessages } from '../../messages/settings.ts';

/** Ends a command that is nothing but questions where nobody can answer them. */
export function requireTerminal(ctx: Context, what: string, hint: string): void {
  if (ctx.terminal.interactive) return;
  const message = `${what} asks questions, and there is no terminal to ask on`;
  throw new ProcError('invalid_usage', message, { hint });
}

/** The questions of this room in the language that is set. */
export async function messagesFor(ctx: Context): Promise<SettingsMessages> {
  return settingsMessages[(await ctx.settings()).preferences().lang.value];
}
