import { ProcError } from '../../core/errors.ts';
import type { SentBefore, SentOutcome } from '../../history/sent-rows.ts';
import { Journal } from '../journal/journal.ts';
import { journalPath } from '../journal/runs.ts';

/** What an earlier run or command says of a write. */
export interface Earlier {
  /** For messages: `run 2026…`, or the entry of history. */
  readonly by: string;
  readonly id: string | undefined;
  readonly outcome: SentOutcome;
  /** Where it is in doubt: what to do about it. */
  readonly wayOut: string;
}

/** What the journal of a run says of one of its rows. */
interface Told {
  readonly state: string;
  readonly id: string | null;
}

/** The state that a run's own request led to: a row that was repaired was refused, and sent by a later run. */
export const OWN_STATE = "CASE WHEN repaired_by IS NULL THEN state ELSE 'rejected' END AS state";

/** What a row's state says of its request; undefined where it surely did not leave. */
export function outcomeOf(state: string): SentOutcome | undefined {
  if (state === 'sent' || state === 'unknown') return 'unknown';
  return state === 'created' || state === 'dropped' ? state : undefined;
}

/** The journals of earlier runs, each opened once. */
export class Journals {
  readonly #folder: string;
  readonly #open = new Map<string, ((row: number) => Told | undefined) | undefined>();
  readonly #journals: Journal[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What was sent; undefined where it surely was not. A noted row of which nothing tells is in doubt. */
  look(sent: SentBefore): Earlier | undefined {
    if (sent.by === 'command') {
      return {
        by: `the command ${sent.entry} of history`,
        id: sent.created,
        outcome: sent.inDoubt ? 'unknown' : 'created',
        wayOut: `proc history show ${sent.entry}`,
      };
    }
    const by = `run ${sent.run}`;
    const told = this.#of(sent.run)?.(sent.row);
    if (told === undefined) {
      const wayOut = 'look for them in the service, then say what you found (proc imports resolve)';
      return { by, id: sent.created, outcome: sent.outcome ?? 'unknown', wayOut };
    }
    const outcome = outcomeOf(told.state);
    if (outcome === undefined) return undefined;
    return { by, id: told.id ?? undefined, outcome, wayOut: `proc imports resolve ${sent.run}` };
  }

  #of(run: string): ((row: number) => Told | undefined) | undefined {
    if (!this.#open.has(run)) this.#open.set(run, this.#reader(run));
    return this.#open.get(run);
  }

  #reader(run: string): ((row: number) => Told | undefined) | undefined {
    try {
      const journal = Journal.open(journalPath(this.#folder, run), true);
      this.#journals.push(journal);
      const select = journal.database.prepare(`SELECT ${OWN_STATE}, id FROM rows WHERE row = ?`);
      return (row) => select.get(row) as Told | undefined;
    } catch (thrown) {
      if (thrown instanceof ProcError) return undefined;
      throw thrown;
    }
  }

  close(): void {
    for (const journal of this.#journals) journal.close();
  }
}
