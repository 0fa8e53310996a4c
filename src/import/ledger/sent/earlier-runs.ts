import type { SentBy } from '../../../core/problem/row-problem.ts';
import { inShell } from '../../../core/text/typed.ts';
import type {
  Place,
  SentBefore,
  SentOutcome,
  SentRow,
  SentRows,
} from '../../../history/sent-rows.ts';

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
}

/** Undefined if the row was provably not sent, was repaired, or belongs to another organization. */
export function earlierOf(sent: SentBefore, sentRows: SentRows): Earlier | undefined {
  if (sent.by === 'run') return earlierRow(sent, sentRows);
  const isOurs = sent.ownership === 'ours';
  return {
    by: { entry: sent.entry, ...unrecorded(isOurs) },
    id: sent.created,
    outcome: sent.isUnconfirmed || !isOurs ? 'unconfirmed' : 'created',
    isOurs,
    nextStep: () => `proc history show ${inShell(sent.entry)}`,
    at: sent.entry,
  };
}

/** An outcome that a person recorded in a later run counts for the earlier run too. */
function earlierRow(sent: SentRow, sentRows: SentRows): Earlier | undefined {
  const { run, row, answer, outcome, created, isDiscarded } = sent;
  const isOurs = sent.ownership === 'ours';
  if (sent.ownership === 'foreign' || outcome === undefined) return undefined;
  const answered =
    outcome === 'unconfirmed' && answer !== undefined ? sentRows.at(answer) : undefined;
  if (answered !== undefined) return earlierRow(answered, sentRows);
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
  };
}

function unrecorded(isOurs: boolean): Pick<SentBy, 'isUnrecorded'> {
  return isOurs ? {} : { isUnrecorded: true };
}
