import { ProcError } from '../core/errors.ts';
import { inShell } from '../core/text/typed.ts';

/**
 * - `reading`: rows are being read
 * - `planning`: all rows are read, and no plan was confirmed
 * - `begun`: requests may have left
 * - `ended`: nothing is left to send; rows may be unconfirmed
 *
 * No other file names a phase. Others ask {@link isSent} or {@link hasEnded}.
 */
export type Phase = 'reading' | 'planning' | 'begun' | 'ended';

export const FIRST_PHASE: Phase = 'reading';

/**
 * All steps of a run. A step changes the phase in the ledger only from one of its phases, and only
 * for the process that opened the run last. Otherwise it throws `phase_changed`.
 */
export const STEPS = {
  read: { from: ['reading'], to: 'planning' },
  /** A run can begin only once. */
  begin: { from: ['planning'], to: 'begun' },
  /** As `begin`, for a plan that creates nothing. */
  skip: { from: ['planning'], to: 'ended' },
  /** A resume, or a person who decides that rows are sent again. */
  reopen: { from: ['begun', 'ended'], to: 'begun' },
  end: { from: ['begun'], to: 'ended' },
} as const satisfies Readonly<
  Record<string, { readonly from: readonly Phase[]; readonly to: Phase }>
>;

export type Step = keyof typeof STEPS;

/** Whether requests may have left. A run that has sent nothing is removed once its process is gone. */
export function isSent(phase: Phase): boolean {
  return phase === 'begun' || phase === 'ended';
}

/** Whether nothing is left to send. A person may still send unconfirmed rows again. */
export function hasEnded(phase: Phase): boolean {
  return phase === 'ended';
}

/** The error of a process that is no longer the last one to have opened the run. */
export function phaseChanged(run: string): ProcError {
  return new ProcError(
    'phase_changed',
    `another command has changed ${run} meanwhile, so this one stopped`,
    {
      hint: `See the state of the run: proc imports show ${inShell(run)}`,
      details: { run },
    },
  );
}

export function isPhaseChanged(thrown: unknown): thrown is ProcError {
  return thrown instanceof ProcError && thrown.code === 'phase_changed';
}
