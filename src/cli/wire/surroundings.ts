import type { ExitCode } from '../../core/exit-codes.ts';
import type { GlobalFlags } from '../../core/global-flags.ts';
import type { Clock, Env, IoPort, PortName, Ports, Streams } from '../../core/ports.ts';
import type { Result } from '../../core/result.ts';
import type { AccessLevel } from '../../core/service/access.ts';
import type { OutputForm } from '../../output/output-plan.ts';

export interface Surroundings {
  readonly streams: Streams;
  readonly env: Env;
  readonly cwd: string;
  /** The words after `proc`. */
  readonly typed: readonly string[];
  /** The command that starts this program again, e.g. the paths of Node and of the script. */
  readonly selfCommand: readonly string[];
  readonly pid: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface OpenPorts {
  readonly io: IoPort;
  readonly flags: GlobalFlags;
  /** True with `--dry-run` or `--curl`: no write is sent. */
  readonly isPreview: boolean;
  readonly json: boolean;
  give<Names extends PortName>(needs: readonly Names[]): Promise<Ports<Names>>;
  /**
   * Fails before the first request if the access level does not allow the command. A preview is always allowed.
   *
   * @throws ProcError `access_level`
   */
  requireAccess(needed: AccessLevel, what: string, atStage?: string): Promise<void>;
  render(result: Result): Promise<ExitCode>;
  /**
   * If writes succeeded but their output failed, returns an error that names the writes. Returns any
   * other error unchanged.
   */
  undelivered(thrown: unknown): unknown;
  /** Checks the output flags before anything is sent. */
  ready(spec: OutputForm): Promise<void>;
  close(): Promise<void>;
}
