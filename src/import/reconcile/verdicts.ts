import { type Problem, problemIn } from '../../core/problem/row-problem.ts';
import { storedCode } from '../../core/service/code-change.ts';
import type { Journal } from '../ledger/journal.ts';
import type { Key } from '../ledger/rows/catalogue-before.ts';
import type { Decided } from '../ledger/rows/send-queue.ts';
import type { Member, OpenRow, UnconfirmedRows } from '../ledger/rows/unconfirmed-rows.ts';
import { lookedUp, parked } from './looked-up.ts';
import type { WantedKey } from './whole-reading.ts';

export const PER_COMMIT = 32;
const PER_PARKING = 1_000;

export interface VerdictPorts {
  readonly journal: Journal;
  readonly keyField: string;
  record(rows: readonly Decided[]): void;
  /** The given ids whose records other imports or commands of this machine created. */
  createdByOthers(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The ids of all records that had the key at the time of the look-up. */
export interface LookUpResult extends WantedKey {
  readonly ids: readonly string[];
  readonly askedAt: number;
  /** Why the look-up does not prove that no record was created with this key. */
  readonly doubt?: Problem | undefined;
}

/** Records what look-ups have found about the rows with a key. */
export class Verdicts {
  readonly #ports: VerdictPorts;
  readonly #rows: UnconfirmedRows;
  readonly #marginMs: number;

  /** @param marginMs for this long after a row is marked as sent, it may still be created */
  constructor(ports: VerdictPorts, marginMs: number) {
    this.#ports = ports;
    this.#rows = ports.journal.unconfirmed;
    this.#marginMs = marginMs;
  }

  async decide(results: readonly LookUpResult[]): Promise<void> {
    await this.#noteOthers(results);
    for (let from = 0; from < results.length; from += PER_COMMIT) {
      const some = results.slice(from, from + PER_COMMIT);
      // Synchronous, so that no row changes before its verdict is recorded.
      this.#ports.record(some.flatMap((result) => this.#verdictsOn(result)));
    }
  }

  /**
   * Adds to the catalogue the records that other imports or commands of this machine created, so
   * that no row adopts them.
   */
  async #noteOthers(results: readonly LookUpResult[]): Promise<void> {
    const { journal, createdByOthers } = this.#ports;
    const others = await createdByOthers(results.flatMap(({ ids }) => ids));
    if (others.size === 0) return;
    const listed = results.flatMap(({ key, value, ids }) => {
      const keys = { code: null, name: null, [key]: this.#stored(key, value) };
      return ids.filter((id) => others.has(id)).map((id) => ({ id, ...keys }));
    });
    journal.commit(() => journal.catalogue.add(listed));
  }

  /** As the list shows it. */
  #stored(key: Key, value: string): string {
    return key === 'name' ? value : storedCode(this.#ports.journal.get('codesChanged'), value);
  }

  #verdictsOn({ key, value, ids, askedAt, doubt }: LookUpResult): Decided[] {
    const { catalogue, header } = this.#ports.journal;
    const stored = this.#stored(key, value);
    const members = this.#rows.members(key, value);
    const until = askedAt - this.#marginMs;
    const isUnderWay = ({ state, sent_at: at }: Member) =>
      state === 'sending' || (state === 'unconfirmed' && Number(at) > until);
    // The record found may belong to a row that is still in flight, so a later round decides.
    if (members.some(isUnderWay)) return [];
    const theirs = new Set([...catalogue.idsOf(key, value), ...catalogue.idsOf(key, stored)]);
    const known = new Set<string | null>(theirs);
    for (const { id, state } of members) if (state === 'created') known.add(id);
    const fresh = ids.filter((id) => !known.has(id));
    const taken = ids.find((id) => theirs.has(id));
    const unknown = members.filter(({ state }) => state === 'unconfirmed');
    return members.flatMap((member): Decided[] => {
      const { row, state, reason, looked_up: looked } = member;
      if (state === 'unconfirmed') {
        const found = { fresh, taken, doubt, unknown: unknown.length };
        return [{ row, was: state, verdict: lookedUp(found, member, header.choices.onExisting) }];
      }
      if (state !== 'rejected' || looked === 1) return [];
      const own = reason === null ? undefined : problemIn(reason);
      const refused = { state, status: 409, reason: own, lookedUp: true } as const;
      const [id] = ids;
      return [{ row, was: state, verdict: id === undefined ? refused : { state: 'existing', id } }];
    });
  }

  /** In batches, because all rows of a run may be unconfirmed. */
  park(rows: readonly Pick<OpenRow, 'row' | 'state'>[], why: Problem): void {
    const { keyField } = this.#ports;
    for (let from = 0; from < rows.length; from += PER_PARKING) {
      const some = rows.slice(from, from + PER_PARKING);
      this.#ports.record(
        some.map(({ row, state }) => ({
          row,
          was: state,
          verdict: parked(state, this.#rows.responseTo(row), why, keyField),
        })),
      );
    }
  }
}
