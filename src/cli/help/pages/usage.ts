import type { CommandSpec } from '../../../core/command-spec.ts';

export function usageOf({ path, args = {} }: CommandSpec): string {
  const operands = Object.entries(args).map(([name, arg]) => {
    const shown = arg.variadic === true ? `${name}...` : name;
    return arg.optional === true ? `[${shown}]` : `<${shown}>`;
  });
  return ['proc', ...path, ...operands, '[flags]'].join(' ');
}
