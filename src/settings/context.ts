import type { Context } from '../core/command.ts';
import type { EndpointSpec, InputOf, OutputOf } from '../core/endpoint.ts';
import { ProcError } from '../core/errors.ts';
import type { Target } from '../core/ports.ts';
import { type SettingsMessages, settingsMessages } from '../messages/settings.ts';
import type { Prompts } from '../terminal/prompts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Settings } from './settings.ts';

/** What the commands of this room need besides what every command has. */
export interface SettingsContext extends Context {
  settings(): Promise<Settings>;
  prompts(): Promise<Prompts>;
  readonly terminal: Terminal;
  /** One request to another target than the command's own (the check of `setup`). */
  callAt<E extends EndpointSpec>(target: Target, spec: E, input: InputOf<E>): Promise<OutputOf<E>>;
}

/** The context as `cli/context.ts` wires it. */
export function inSettings(ctx: Context): SettingsContext {
  return ctx as SettingsContext;
}

export function requireTerminal(ctx: SettingsContext, what: string, hint: string): void {
  if (ctx.terminal.interactive) return;
  throw new ProcError(
    'invalid_usage',
    `${what} asks questions, and there is no terminal to ask on`,
    {
      hint,
    },
  );
}

export async function messagesFor(ctx: SettingsContext): Promise<SettingsMessages> {
  return settingsMessages[(await ctx.settings()).preferences().lang.value];
}
