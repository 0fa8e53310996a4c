import type { ArgSpecs, ArgValues, CommandSpec, FlagSpecs, FlagValues } from './command-spec.ts';
import type { PortName, Ports } from './ports.ts';
import type { Result } from './result.ts';

interface Input<A extends ArgSpecs, F extends FlagSpecs> {
  readonly args: ArgValues<A>;
  readonly flags: FlagValues<F>;
}

export type Command<
  A extends ArgSpecs = ArgSpecs,
  F extends FlagSpecs = FlagSpecs,
  N extends PortName = PortName,
> = CommandSpec<A, F> & {
  readonly needs: readonly N[];
  run(input: Input<A, F>, ports: Ports<N>): Promise<Result>;
};

/** Declares a command. Load heavy modules inside `run`, with `import()`. */
export function command<
  const A extends ArgSpecs,
  const F extends FlagSpecs,
  const N extends PortName = never,
>(spec: Command<A, F, N>): Command {
  return spec as unknown as Command;
}
