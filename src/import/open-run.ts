import type { Ports } from '../core/ports.ts';

/** What an import may use. */
export type SendPorts = Ports<'io' | 'api' | 'lookup' | 'ask' | 'store' | 'self'>;

/** Why a run stopped before it was complete. */
export interface Stop {
  readonly kind: 'interrupted' | 'refused' | 'impatient' | 'errors' | 'journal';
  readonly why: string;
  readonly error?: unknown;
}
