import type { CommandSpec } from '../../core/command-spec.ts';

/** How a command is typed: `proc orders get <order...> [flags]`. */
export function usageOf({ path, args = {}, flags = {} }: CommandSpec): string {
  const operands = Object.entries(args).map(([name, arg]) => {
    const shown = arg.variadic === true ? `${name}...` : name;
    return arg.optional === true ? `[${shown}]` : `<${shown}>`;
  });
  const more = Object.keys(flags).length > 0 ? ['[flags]'] : [];
  return ['proc', ...path, ...operands, ...more].join(' ');
}
