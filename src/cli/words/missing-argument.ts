import type { CommandSpec } from '../../core/command-spec.ts';

/** The command that lists possible values of an argument. */
export function missingHint({ path, args }: CommandSpec, name: string): string {
  const from = args?.[name]?.from;
  return from === undefined
    ? `See its usage: proc ${path.join(' ')} --help`
    : `To list them: ${from}`;
}
