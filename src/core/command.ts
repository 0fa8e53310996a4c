import type { ArgSpecs, ArgValues, CommandSpec, FlagSpecs, FlagValues } from './command-spec.ts';
import type { PortName, Ports } from './ports.ts';
import type { Result } from './result.ts';

interface Input<A extends ArgSpecs, F extends FlagSpecs> {
  readonly args: ArgValues<A>;
  readonly flags: FlagValues<F>;
}

/** Reads, or writes to the service: all requests go through `api`, whose twin shows them under `--dry-run`. */
interface Requesting<A extends ArgSpecs, F extends FlagSpecs, N extends PortName> {
  readonly changes: 'nothing' | 'service';
  run(input: Input<A, F>, ports: Ports<N>): Promise<Result>;
}

/** Changes something on this machine, which it plans first: `--dry-run` ends with the plan. */
interface Planning<A extends ArgSpecs, F extends FlagSpecs, N extends PortName> {
  readonly changes: 'local';
  /** Checks everything that can be checked; throws what the command would. Changes nothing. */
  plan(input: Input<A, F>, ports: Ports<N>): Promise<LocalPlan>;
}

/** A change of this machine that was checked and is still to be made. */
export interface LocalPlan {
  /** What `--dry-run` prints; a record is marked with `dryRun: true`. Changes nothing. */
  would(): Result | Promise<Result>;
  /** Asks where that is needed, and makes the change. */
  apply(): Promise<Result>;
}

/** A command that can be run. */
export type Command<
  A extends ArgSpecs = ArgSpecs,
  F extends FlagSpecs = FlagSpecs,
  N extends PortName = PortName,
> = CommandSpec<A, F> & {
  /** The ports that its handler is given; it gets no others. */
  readonly needs: readonly N[];
} & (Requesting<A, F, N> | Planning<A, F, N>);

/**
 * Declares a command and infers what its handler gets: the values of its flags and arguments, and the
 * ports that it needs. What is heavy is loaded inside `run` or `plan`, by `import()`.
 */
export function command<
  const A extends ArgSpecs,
  const F extends FlagSpecs,
  const N extends PortName = never,
>(spec: Command<A, F, N>): Command {
  return spec as unknown as Command;
}
