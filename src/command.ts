import type { Context } from './context.ts';
import type {
  ArgSpecs,
  ArgValues,
  CommandSpec,
  FlagSpecs,
  FlagValues,
} from './core/command-spec.ts';
import type { Result } from './core/result.ts';

export type Command<A extends ArgSpecs = ArgSpecs, F extends FlagSpecs = FlagSpecs> = CommandSpec<
  A,
  F
> & {
  run(ctx: Context, args: ArgValues<A>, flags: FlagValues<F>): Promise<Result>;
};

/** Declares a command. Load heavy modules inside `run`, with `import()`. */
export function command<const A extends ArgSpecs, const F extends FlagSpecs>(
  spec: Command<A, F>,
): Command {
  return spec as unknown as Command;
}
