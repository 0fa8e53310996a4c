import type { Ports } from '../core/ports.ts';

/** What a command may use that reads lists of the service and changes a run. */
export type RunPorts = Ports<'io' | 'api' | 'ask' | 'store' | 'self'>;
/** The same for a command that sends rows. */
export type SendPorts = Ports<'io' | 'api' | 'lookup' | 'ask' | 'store' | 'self'>;

/** Why a run stopped before it was complete. */
export interface Stop {
  readonly kind: 'interrupted' | 'refused' | 'impatient' | 'errors' | 'journal';
  readonly why: string;
  readonly error?: unknown;
}
