import type { RowState } from './states.ts';

interface Change {
  /** Empty for a row that has no state yet. */
  readonly from: readonly RowState[];
  readonly to: readonly RowState[];
}

/**
 * All allowed changes of state. `docs/internals/imports.md` explains each of them. A test compares its
 * diagram with this object.
 */
export const TRANSITIONS = {
  stage: { from: [], to: ['pending', 'rejected', 'filtered'] },
  collapse: { from: ['pending'], to: ['duplicate'] },
  exist: { from: ['pending'], to: ['existing'] },
  refuse: { from: ['pending'], to: ['rejected'] },
  inherit: { from: ['pending'], to: ['unconfirmed'] },
  recall: { from: ['pending', 'unconfirmed'], to: ['existing', 'dropped'] },
  send: { from: ['pending'], to: ['sending'] },
  answer: { from: ['sending'], to: ['created', 'pending', 'rejected', 'unconfirmed'] },
  doubt: { from: ['created'], to: ['unconfirmed'] },
  withdraw: { from: ['sending'], to: ['pending'] },
  interrupt: { from: ['sending'], to: ['unconfirmed'] },
  reconcile: {
    from: ['unconfirmed'],
    to: ['created', 'existing', 'pending', 'rejected', 'unconfirmed'],
  },
  reopen: { from: ['unconfirmed'], to: ['unconfirmed'] },
  compare: { from: ['rejected'], to: ['existing', 'rejected'] },
  resolve: { from: ['sending', 'unconfirmed'], to: ['created', 'pending', 'dropped'] },
  repair: { from: ['rejected'], to: ['created', 'existing', 'duplicate'] },
} as const satisfies Readonly<Record<string, Change>>;

export type Transition = keyof typeof TRANSITIONS;

export type Target<T extends Transition> = (typeof TRANSITIONS)[T]['to'][number];
