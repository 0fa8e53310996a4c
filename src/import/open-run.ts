import type { Ports } from '../core/ports.ts';
import type { Progress } from './report/progress.ts';
import type { RunOptions } from './run-options.ts';
import type { Run } from './store/run-file.ts';
import type { ImportTarget } from './targets/import-target.ts';

/** What a command may use that reads lists of the service and changes a run. */
export type RunPorts = Ports<'io' | 'api' | 'ask' | 'store' | 'self'>;
/** The same for a command that sends rows. */
export type SendPorts = Ports<'io' | 'api' | 'lookup' | 'ask' | 'store' | 'self'>;

export interface OpenRun {
  readonly run: Run;
  readonly target: ImportTarget;
  readonly options: RunOptions;
  readonly progress: Progress;
  /** When the command started to work, by the monotonic clock. */
  readonly began: number;
}

/** Why a run stopped before it was complete. */
export interface Stop {
  readonly kind: 'interrupted' | 'refused' | 'impatient' | 'errors' | 'journal';
  readonly why: string;
  readonly error?: unknown;
}
