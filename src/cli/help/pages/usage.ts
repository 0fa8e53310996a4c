import type { CommandSpec } from '../../../core/command-spec.ts';

/** The usage line: `proc orders get <order...> [flags]`. */
export function usageOf({ path, args = {} }: CommandSpec): string {
  const operands = Object.entries(args).map(([name, arg]) => {
    const shown = arg.variadic === true ? `${name}...` : name;
    return arg.optional === true ? `[${shown}]` : `<${shown}>`;
  });
  return ['proc', ...path, ...operands, '[flags]'].join(' ');
}
