import { type Command, CommanderError } from 'commander';
import type { CommandSpec } from '../../core/command-spec.ts';
import { commandPath } from '../help/help.ts';
import { tooManyWords } from './too-many-words.ts';

/** What commander complains of, with the next step at the command where it happened. */
export class Complaint extends CommanderError {
  readonly hint: string;

  constructor({ exitCode, code }: CommanderError, message: string, hint: string) {
    super(exitCode, code, message);
    this.hint = hint;
  }
}

/** Has a command's complaints say where its help is, or what its arguments may be. */
export function complainWith(command: Command, spec?: CommandSpec): void {
  command.exitOverride((error) => {
    if (spec !== undefined && error.code === 'commander.excessArguments') {
      const { message, hint } = tooManyWords(spec, command.args);
      throw new Complaint(error, message, hint);
    }
    const missing = /^error: missing required argument '(.*)'$/.exec(error.message)?.[1];
    const hint =
      spec !== undefined && missing !== undefined
        ? missingHint(spec, missing)
        : `See what there is: ${commandPath(command)} --help`;
    throw new Complaint(error, error.message, hint);
  });
}

/** Where to find what an argument may be. */
export function missingHint({ path, args }: CommandSpec, name: string): string {
  const from = args?.[name]?.from;
  return from === undefined
    ? `See how it is called: proc ${path.join(' ')} --help`
    : `See which there are: ${from}`;
}
