import { ProcError } from '../../../core/errors.ts';
import { inShell } from '../../../core/text/typed.ts';
import type {
  Place,
  SentBefore,
  SentOutcome,
  SentRow,
  SentRows,
} from '../../../history/sent-rows.ts';
import { Journal } from '../journal.ts';
import type { OwnOutcome } from '../rows/fingerprinted-rows.ts';
import type { RowState } from '../rows/states.ts';
import { journalPath } from '../runs.ts';
import { whoseRun } from '../whose.ts';

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

/** A journal of an earlier run. */
interface Reader {
  readonly isOurs: boolean;
  row(row: number): OwnOutcome | undefined;
}

const UNRECORDED = ' (organization not recorded)';

/** What a row's state says of its request; undefined if it surely did not leave. */
export function outcomeOf(state: RowState): SentOutcome | undefined {
  if (state === 'sent' || state === 'unknown') return 'unknown';
  return state === 'created' || state === 'dropped' ? state : undefined;
}

/** The journals of earlier runs, each opened once. */
export class EarlierRuns {
  readonly #folder: string;
  readonly #sentRows: SentRows;
  readonly #open = new Map<string, Reader | undefined>();
  readonly #journals: Journal[] = [];

  constructor(folder: string, sentRows: SentRows) {
    this.#folder = folder;
    this.#sentRows = sentRows;
  }

  /** What was sent; undefined if it surely was not. A noted row without any other trace is unconfirmed. */
  look(sent: SentBefore): Earlier | undefined {
    if (sent.by === 'command') {
      const isOurs = sent.whose === 'ours';
      return {
        by: `the command ${sent.entry} of history${isOurs ? '' : UNRECORDED}`,
        id: sent.created,
        outcome: sent.inDoubt || !isOurs ? 'unknown' : 'created',
        isOurs,
        wayOut: `proc history show ${inShell(sent.entry)}`,
        at: sent.entry,
      };
    }
    return this.#row(sent);
  }

  /** What a person recorded in a later run counts for the earlier one. */
  #row(sent: SentRow): Earlier | undefined {
    const { run, row, answer } = sent;
    if (sent.whose === 'foreign') return undefined;
    const journal = this.#of(run);
    const told = journal?.row(row);
    const isOurs = sent.whose === 'ours' || journal?.isOurs === true;
    const outcome = told === undefined ? (sent.outcome ?? 'unknown') : outcomeOf(told.state);
    if (outcome === undefined) return undefined;
    const answered =
      outcome === 'unknown' && answer !== undefined ? this.#sentRows.at(answer) : undefined;
    if (answered !== undefined) return this.#row(answered);
    const wayOut =
      told === undefined || !isOurs
        ? 'look for them in the service, then say what you found (proc imports resolve)'
        : `proc imports resolve ${inShell(run)}`;
    const id = told === undefined ? sent.created : (told.id ?? undefined);
    return {
      by: `run ${run}${isOurs ? '' : UNRECORDED}`,
      id,
      outcome: isOurs ? outcome : 'unknown',
      isOurs,
      wayOut,
      at: { run, row },
    };
  }

  #of(run: string): Reader | undefined {
    if (!this.#open.has(run)) this.#open.set(run, this.#reader(run));
    return this.#open.get(run);
  }

  #reader(run: string): Reader | undefined {
    try {
      const journal = Journal.open(journalPath(this.#folder, run), true);
      this.#journals.push(journal);
      return {
        isOurs: whoseRun(journal, this.#sentRows.scope) === 'ours',
        row: (row) => journal.fingerprinted.own(row),
      };
    } catch (thrown) {
      if (thrown instanceof ProcError) return undefined;
      throw thrown;
    }
  }

  close(): void {
    for (const journal of this.#journals) journal.close();
  }
}
