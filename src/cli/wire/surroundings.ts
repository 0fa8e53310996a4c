import type { ExitCode } from '../../core/exit-codes.ts';
import type {
  Clock,
  Env,
  GlobalFlags,
  IoPort,
  PortName,
  Ports,
  Streams,
} from '../../core/ports.ts';
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

/** The ports of a command, with what is done around it. */
export interface OpenPorts {
  readonly io: IoPort;
  readonly flags: GlobalFlags;
  /** `--dry-run` or `--curl`: `api` and `lookup` are twins that send no write. */
  readonly isPreview: boolean;
  /** Errors are told to a script: as one JSON line. */
  readonly json: boolean;
  /** The ports of these names, made when they are first given. */
  give<Names extends PortName>(needs: readonly Names[]): Promise<Ports<Names>>;
  render(result: Result): Promise<ExitCode>;
  /** What a failure to deliver output means, given what was written to the service. */
  undelivered(thrown: unknown): unknown;
  /** Checks the output flags, so that a mistake ends the command before anything is sent. */
  ready(spec: OutputForm): Promise<void>;
  close(): Promise<void>;
}
