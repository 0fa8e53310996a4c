import type { Context } from '../../core/command.ts';
import type { ExitCode } from '../../core/exit-codes.ts';
import type { Clock, Env, Streams } from '../../core/ports.ts';
import type { Result } from '../../core/result.ts';
import type { OutputForm } from '../../output/output-plan.ts';

/** What `main` hands down; the process is not touched below it. */
export interface Surroundings {
  readonly streams: Streams;
  readonly env: Env;
  readonly cwd: string;
  /** Words after `proc`. */
  readonly typed: readonly string[];
  /** The command that starts this proc again: Node and the script. */
  readonly selfCommand: readonly string[];
  readonly pid: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A context with what `main` does at the end of a command. */
export interface OpenContext extends Context {
  render(result: Result): Promise<ExitCode>;
  /** What a failure to deliver output means, given what was written to the service. */
  undelivered(thrown: unknown): unknown;
  /** Checks the output flags, so that a mistake ends the command before anything is sent. */
  ready(spec: OutputForm): Promise<void>;
  /** Errors are told to a script: as one JSON line. */
  readonly json: boolean;
  close(): Promise<void>;
}
