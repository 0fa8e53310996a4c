import type { SentBy } from '../../../core/problem/row-problem.ts';
import { inShell } from '../../../core/text/typed.ts';
import type { Place, SentBefore, SentOutcome } from '../../../ledger/port.ts';

export interface Earlier {
  readonly by: SentBy;
  readonly id: string | undefined;
  readonly outcome: SentOutcome;
  /**
   * What to do if the outcome is unconfirmed: a command or a sentence. `target` has the flags `-p`
   * and `-e`, as they were typed.
   */
  readonly nextStep: (target: string) => string;
  /** Where the outcome is stored: a row, or the id of an entry of the history. */
  readonly at: Place | string;
  /** The number of the intent of a row; undefined for an entry of the history. */
  readonly intent: number | undefined;
}

/** An outcome that a person recorded in a later run counts for the earlier run too. */
export function earlierOf(sent: SentBefore): Earlier {
  if (sent.by === 'command') {
    const { entry, isUnconfirmed, created } = sent;
    return {
      by: { entry },
      id: created,
      outcome: isUnconfirmed ? 'unconfirmed' : 'created',
      nextStep: () => `proc history show ${inShell(entry)}`,
      at: entry,
      intent: undefined,
    };
  }
  const { run, row, answer, outcome, created, isDiscarded, intent } = sent;
  if (outcome === 'unconfirmed' && answer?.sent !== undefined) return earlierOf(answer.sent);
  return {
    by: { run },
    id: created,
    outcome,
    nextStep: (target) =>
      isDiscarded
        ? 'check the service, then record the outcome of each row with proc imports resolve'
        : `proc imports resolve ${inShell(run)}${target}`,
    at: { run, row },
    intent,
  };
}
