import type { CommandSpec } from '../../core/command-spec.ts';

export function missingHint({ path, args }: CommandSpec, name: string): string {
  const { from, hint } = args?.[name] ?? {};
  if (hint !== undefined) return hint;
  return from === undefined
    ? `See its usage: proc ${path.join(' ')} --help`
    : `To list them: ${from}`;
}
