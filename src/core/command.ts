import type { ArgSpecs, ArgValues, CommandSpec, FlagSpecs, FlagValues } from './command-spec.ts';
import type { PortName, Ports } from './ports.ts';
import type { Result } from './result.ts';

interface Input<A extends ArgSpecs, F extends FlagSpecs> {
  readonly args: ArgValues<A>;
  readonly flags: FlagValues<F>;
}

interface Requesting<A extends ArgSpecs, F extends FlagSpecs, N extends PortName> {
  readonly changes: 'nothing' | 'service';
  run(input: Input<A, F>, ports: Ports<N>): Promise<Result>;
}

interface Planning<A extends ArgSpecs, F extends FlagSpecs, N extends PortName> {
  readonly changes: 'local';
  /** Makes all checks of the command. Changes nothing. */
  plan(input: Input<A, F>, ports: Ports<N>): Promise<LocalPlan>;
}

export interface LocalPlan {
  /** What `--dry-run` prints. proc adds `dryRun: true` to a record. Changes nothing. */
  would(): Result | Promise<Result>;
  apply(): Promise<Result>;
}

export type Command<
  A extends ArgSpecs = ArgSpecs,
  F extends FlagSpecs = FlagSpecs,
  N extends PortName = PortName,
> = CommandSpec<A, F> & {
  readonly needs: readonly N[];
} & (Requesting<A, F, N> | Planning<A, F, N>);

/** Declares a command. Load heavy modules inside `run` or `plan`, with `import()`. */
export function command<
  const A extends ArgSpecs,
  const F extends FlagSpecs,
  const N extends PortName = never,
>(spec: Command<A, F, N>): Command {
  return spec as unknown as Command;
}
