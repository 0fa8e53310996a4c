import type { Clock } from '../../core/io.ts';
import { INTENT_MS } from '../../core/service.ts';
import type { Claim, RunLedger, Taken } from '../../ledger/run-ledger.ts';
import type { SeenKeys } from '../../listing/list-pages.ts';

const PER_ROUND = 200;
/** One reading of the whole list decides them all. */
const PER_QUIET_ROUND = 5_000;
/** A list that the run is changing proves little, so only look-ups while nothing is sent count. */
const MOST_TRIES = 3;
const LEAST_PAUSE_MS = 1_000;

export interface LookUpsPorts {
  readonly ledger: RunLedger;
  readonly clock: Clock;
  /** How long the service may take to apply a request, and to show its record. */
  readonly settleMs: number;
  claim(): Claim;
  /**
   * Reads the list. @returns the id of the record with each key; null: provably no record has it. Keys about which
   * nothing is proved are missing.
   *
   * @param mayReadAll false: only searches
   */
  find(keys: readonly string[], mayReadAll: boolean): Promise<ReadonlyMap<string, string | null>>;
  /** Of the records that the run has created. */
  readonly ids: SeenKeys;
  /** A row is decided. @param id null: it is pending again */
  onFound(row: number, id: string | null): void;
}

interface Waiting {
  readonly row: number;
  /** From when on it can be looked up, by the monotonic clock. */
  readonly at: number;
  readonly tries: number;
}

/** Unconfirmed rows of a run that a list can decide, each once its request can no longer have an effect. */
export class LookUps {
  readonly #ports: LookUpsPorts;
  readonly #waiting = new Map<string, Waiting>();

  constructor(ports: LookUpsPorts) {
    this.#ports = ports;
  }

  /**
   * Only the clock of this process counts: that of another machine may be wrong.
   *
   * @param isOwn this process has sent it, and its request is over. Otherwise another one may still let it leave
   */
  note({ row, key }: Pick<Taken, 'row' | 'key'>, isOwn: boolean): void {
    const { clock, settleMs } = this.#ports;
    // Nothing in the list shows which record is that of a row without a key.
    if (key === null) return;
    const at = clock.monotonic() + settleMs + (isOwn ? 0 : INTENT_MS);
    this.#waiting.set(key, { row, at, tries: 0 });
  }

  /** When the next row can be looked up, by the monotonic clock; undefined: there is none. */
  get nextAt(): number | undefined {
    let next: number | undefined;
    // A run may have more of them than a call takes arguments.
    for (const { at } of this.#waiting.values()) if (next === undefined || at < next) next = at;
    return next;
  }

  /**
   * Looks up the rows that are due.
   *
   * @param isQuiet nothing is being sent
   * @returns false if the run is no longer that of this process
   * @throws ProcError if the list cannot be read
   */
  async round(isQuiet: boolean): Promise<boolean> {
    const { ledger, clock, settleMs, find, claim, ids, onFound } = this.#ports;
    const now = clock.monotonic();
    const due = [...this.#waiting].filter(([, { at }]) => at <= now);
    due.splice(isQuiet ? PER_QUIET_ROUND : PER_ROUND);
    if (due.length === 0) return true;
    const shown = await find(
      due.map(([key]) => key),
      isQuiet,
    );
    // An id belongs to one row: the answer to one of two rows was false.
    const found = new Map([...shown].filter(([, id]) => id === null || ids.add(id)));
    if (!(await ledger.settle(claim(), found))) return false;
    for (const [key, waiting] of due) {
      if (this.#waiting.get(key) !== waiting) continue;
      const id = found.get(key);
      const tries = waiting.tries + (isQuiet ? 1 : 0);
      if (id === undefined && tries < MOST_TRIES) {
        const at = clock.monotonic() + Math.max(settleMs, LEAST_PAUSE_MS);
        this.#waiting.set(key, { ...waiting, at, tries });
        continue;
      }
      // Whoever resumes the run looks it up again.
      this.#waiting.delete(key);
      if (id !== undefined) onFound(waiting.row, id);
    }
    return true;
  }
}
