import { inShell } from '../../../core/text/typed.ts';
import type {
  Place,
  SentBefore,
  SentOutcome,
  SentRow,
  SentRows,
} from '../../../history/sent-rows.ts';

/** What an earlier run or command says of a write. */
export interface Earlier {
  /** For messages: `run 2026…`, or the entry of history. */
  readonly by: string;
  readonly id: string | undefined;
  readonly outcome: SentOutcome;
  /** False: its organization was not recorded, so it is unconfirmed here whatever its outcome. */
  readonly isOurs: boolean;
  /** If it is unconfirmed: what to do about it. */
  readonly wayOut: string;
  /** The row, or the id of the entry of history, that tells it. */
  readonly at: Place | string;
}

const UNRECORDED = ' (organization not recorded)';

/** What became of what was sent; undefined if it surely was not. */
export function earlierOf(sent: SentBefore, sentRows: SentRows): Earlier | undefined {
  if (sent.by === 'run') return earlierRow(sent, sentRows);
  const isOurs = sent.whose === 'ours';
  return {
    by: `the command ${sent.entry} of history${isOurs ? '' : UNRECORDED}`,
    id: sent.created,
    outcome: sent.inDoubt || !isOurs ? 'unconfirmed' : 'created',
    isOurs,
    wayOut: `proc history show ${inShell(sent.entry)}`,
    at: sent.entry,
  };
}

/** What a person recorded in a later run counts for the earlier one. */
function earlierRow(sent: SentRow, sentRows: SentRows): Earlier | undefined {
  const { run, row, answer, outcome, created, isDiscarded } = sent;
  const isOurs = sent.whose === 'ours';
  if (sent.whose === 'foreign' || outcome === undefined) return undefined;
  const answered =
    outcome === 'unconfirmed' && answer !== undefined ? sentRows.at(answer) : undefined;
  if (answered !== undefined) return earlierRow(answered, sentRows);
  return {
    by: `run ${run}${isOurs ? '' : UNRECORDED}`,
    id: created,
    outcome: isOurs ? outcome : 'unconfirmed',
    isOurs,
    wayOut:
      isDiscarded || !isOurs
        ? 'look for them in the service, then say what you found (proc imports resolve)'
        : `proc imports resolve ${inShell(run)}`,
    at: { run, row },
  };
}
