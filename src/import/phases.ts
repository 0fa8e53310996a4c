import { ProcError } from '../core/errors.ts';
import { inShell } from '../core/text/typed.ts';

/**
 * - `reading`: rows are being read
 * - `planning`: all rows are read, and no plan was confirmed or saved
 * - `awaiting`: the plan is saved, and `imports send` sends exactly this plan
 * - `begun`: requests may have left
 * - `ended`: nothing is left to send; rows may be unconfirmed
 *
 * No other file names a phase. Others ask {@link NEXT} or {@link isSent}.
 */
export type Phase = 'reading' | 'planning' | 'awaiting' | 'begun' | 'ended';

export const FIRST_PHASE: Phase = 'reading';

/**
 * All steps of a run. A step changes the phase in the ledger only from one of its phases, and only
 * for the process that opened the run last. Otherwise it throws `phase_changed`.
 */
export const STEPS = {
  read: { from: ['reading'], to: 'planning' },
  seal: { from: ['planning'], to: 'awaiting' },
  /** A run can begin only once. */
  begin: { from: ['planning', 'awaiting'], to: 'begun' },
  /** As `begin`, for a plan that creates nothing. */
  skip: { from: ['planning', 'awaiting'], to: 'ended' },
  /** A resume, or a person who decides that rows are sent again. */
  reopen: { from: ['begun', 'ended'], to: 'begun' },
  end: { from: ['begun'], to: 'ended' },
} as const satisfies Readonly<
  Record<string, { readonly from: readonly Phase[]; readonly to: Phase }>
>;

export type Step = keyof typeof STEPS;

/** What each command does with a run. Every phase needs its row. */
interface Next {
  /** `use send`: `imports resume` refuses the run and names `imports send`. */
  readonly resume: 'read' | 'plan' | 'use send' | 'continue';
  /** `stage first`: no plan is saved. `check`: send the saved plan if it still holds. */
  readonly send: 'stage first' | 'check' | 'continue';
  /** What stays in the ledger: `sent rows` by which proc notices repeats. */
  readonly discard: 'keep nothing' | 'keep sent rows';
  readonly prune: 'keep' | 'remove if over';
  /** `refuse`: this run has sent no row, so no outcome of it can be unknown. */
  readonly resolve: 'refuse' | 'decide';
  readonly report: 'plan' | 'outcomes';
  /** Whether a new run is removed if its command fails in this phase. */
  readonly failure: 'remove' | 'keep';
}

export const NEXT: Readonly<Record<Phase, Next>> = {
  reading: {
    resume: 'read',
    send: 'stage first',
    discard: 'keep nothing',
    prune: 'keep',
    resolve: 'refuse',
    report: 'plan',
    failure: 'remove',
  },
  planning: {
    resume: 'plan',
    send: 'stage first',
    discard: 'keep nothing',
    prune: 'keep',
    resolve: 'refuse',
    report: 'plan',
    failure: 'remove',
  },
  awaiting: {
    resume: 'use send',
    send: 'check',
    discard: 'keep nothing',
    prune: 'keep',
    resolve: 'refuse',
    report: 'plan',
    failure: 'keep',
  },
  begun: {
    resume: 'continue',
    send: 'continue',
    discard: 'keep sent rows',
    prune: 'keep',
    resolve: 'decide',
    report: 'outcomes',
    failure: 'keep',
  },
  ended: {
    resume: 'continue',
    send: 'continue',
    discard: 'keep sent rows',
    prune: 'remove if over',
    resolve: 'decide',
    report: 'outcomes',
    failure: 'keep',
  },
};

/** Whether requests may have left. */
export function isSent(phase: Phase): boolean {
  return NEXT[phase].report === 'outcomes';
}

/** Whether nothing is left to send. A person may still send unconfirmed rows again. */
export function hasEnded(phase: Phase): boolean {
  return NEXT[phase].prune !== 'keep';
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
