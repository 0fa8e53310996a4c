import type { SentBy } from '../../../core/problem/row-problem.ts';
import { inShell } from '../../../core/text/typed.ts';
import type { Place, SentBefore, SentOutcome, SentRow } from '../../../ledger/port.ts';

export interface Earlier {
  readonly by: SentBy;
  readonly id: string | undefined;
  readonly outcome: SentOutcome;
  /** False if the organization of the write is unknown. Then the write counts as unconfirmed. */
  readonly isOurs: boolean;
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

/** Undefined if the write belongs to another organization. */
export function earlierOf(sent: SentBefore): Earlier | undefined {
  if (sent.by === 'run') return earlierRow(sent);
  const isOurs = sent.ownership === 'ours';
  return {
    by: { entry: sent.entry, ...unrecorded(isOurs) },
    id: sent.created,
    outcome: sent.isUnconfirmed || !isOurs ? 'unconfirmed' : 'created',
    isOurs,
    nextStep: () => `proc history show ${inShell(sent.entry)}`,
    at: sent.entry,
    intent: undefined,
  };
}

/** An outcome that a person recorded in a later run counts for the earlier run too. */
function earlierRow(sent: SentRow): Earlier | undefined {
  const { run, row, answer, outcome, created, isDiscarded } = sent;
  const isOurs = sent.ownership === 'ours';
  if (sent.ownership === 'foreign') return undefined;
  if (outcome === 'unconfirmed' && answer?.sent !== undefined) return earlierRow(answer.sent);
  return {
    by: { run, ...unrecorded(isOurs) },
    id: created,
    outcome: isOurs ? outcome : 'unconfirmed',
    isOurs,
    nextStep: (target) =>
      isDiscarded || !isOurs
        ? 'check the service, then record the outcome of each row with proc imports resolve'
        : `proc imports resolve ${inShell(run)}${target}`,
    at: { run, row },
    intent: sent.intent,
  };
}

function unrecorded(isOurs: boolean): Pick<SentBy, 'isUnrecorded'> {
  return isOurs ? {} : { isUnrecorded: true };
}
