import type { CommandSpec } from '../../core/command-spec.ts';

/** Where to find what an argument may be. */
export function missingHint({ path, args }: CommandSpec, name: string): string {
  const from = args?.[name]?.from;
  return from === undefined
    ? `See how it is called: proc ${path.join(' ')} --help`
    : `See which there are: ${from}`;
}
