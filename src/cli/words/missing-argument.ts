import type { CommandSpec } from '../../core/command-spec.ts';

/** Where to find what an argument may be. */
export function missingHint({ path, args }: CommandSpec, name: string): string {
  const from = args?.[name]?.from;
  return from === undefined
    ? `See its usage: proc ${path.join(' ')} --help`
    : `To list them: ${from}`;
}
