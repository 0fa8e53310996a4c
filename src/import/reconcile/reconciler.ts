import type { Clock } from '../../core/ports.ts';
import type { Listing } from '../../listing/listing.ts';
import type { Listed } from '../../listing/page.ts';
import { scan } from '../../listing/scan.ts';
import { Search } from '../../listing/search.ts';
import type { Baseline } from '../ledger/header.ts';
import type { Journal } from '../ledger/journal.ts';
import type { Settled } from '../ledger/rows/send-queue.ts';
import {
  isOpen,
  type Member,
  type OpenRow,
  type UnconfirmedRows,
} from '../ledger/rows/unconfirmed-rows.ts';
import { INTENT_MS } from '../send/sending.ts';
import { lookedUp, parked } from './looked-up.ts';

/** Codes that are looked up in one round. */
const PER_ROUND = 200;
/** Codes that are settled in one transaction. */
const PER_COMMIT = 32;
/** So few codes are searched for however short the list is. */
const FEW = 10;
/** Look-ups at once. */
const AT_ONCE = 4;
/** Rows that are given up in one transaction. */
const PER_PARKING = 1_000;

export interface ReconcilerPorts {
  readonly journal: Journal;
  /** Undefined where the noun cannot be listed. */
  readonly listing: Listing | undefined;
  readonly baseline: Baseline;
  readonly clock: Clock;
  /** How long after it was sent a row is surely applied or never will be. */
  readonly settleMs: number;
  /** Rows that were sent before this time count as sent then: their age cannot be told. */
  readonly agesFrom: number;
  readonly keyField: string;
  /** The service has swapped answers: look-ups must not overlap. */
  hasSwaps(): boolean;
  /** Writes the results at once. */
  record(rows: readonly Settled[]): void;
}

/** All ids that carried a key when it was asked for. */
interface Answer {
  readonly key: 'code' | 'name';
  readonly value: string;
  readonly ids: readonly string[];
  readonly askedAt: number;
}

/**
 * Finds out what became of rows in doubt, by looking their codes up once the service has had its
 * time. What is found and new is ours; what is proved absent is pending again; all else stays unknown
 * and is not looked at again.
 */
export class Reconciler {
  readonly #ports: ReconcilerPorts;
  readonly #rows: UnconfirmedRows;
  readonly #search: Search | undefined;

  constructor(ports: ReconcilerPorts) {
    this.#ports = ports;
    this.#rows = ports.journal.unconfirmed;
    this.#search = ports.listing === undefined ? undefined : new Search(ports.listing);
  }

  /** When the first of the rows in doubt can be looked up, ms; undefined where none is left. */
  nextAt(): number | undefined {
    if (this.#keyless().length > 0) return 0;
    const first = this.#rows.firstOpenAt();
    if (first === undefined) return undefined;
    if (this.#isHopeless() !== undefined) return 0;
    return Math.max(first, this.#ports.agesFrom) + this.#margin();
  }

  /** Looks up some of what is due, while the rest of the run goes on. */
  async round(): Promise<void> {
    if (this.#isHopeless() !== undefined || this.#search === undefined) return;
    this.#parkKeyless();
    const due = this.#due(PER_ROUND);
    if (due.length === 0 || !(await this.#search.isUsable())) return;
    // Many are found sooner by reading the whole list once, when nothing is under way.
    if (this.#isWorthSearching(due)) await this.#lookUp(due);
  }

  /** The same for all that is due, with nothing under way: by searches, or by reading the whole list. */
  async drained(): Promise<void> {
    this.#parkKeyless();
    const due = this.#due(undefined);
    const why = this.#isHopeless();
    if (why !== undefined || this.#search === undefined) {
      this.#park(due, why ?? 'what was created cannot be listed');
      return;
    }
    const isUsable = await this.#search.isUsable();
    const left = isUsable && this.#isWorthSearching(due) ? await this.#lookUp(due) : due;
    if (left.length > 0) await this.#readAll(left);
  }

  #keyless(): Pick<OpenRow, 'row' | 'state'>[] {
    return this.#ports.listing === undefined ? [] : this.#rows.keyless();
  }

  #parkKeyless(): void {
    this.#park(this.#keyless(), `it has no ${this.#ports.keyField} to look it up by`);
  }

  #isWorthSearching(due: readonly OpenRow[]): boolean {
    const codes = new Set(due.map(({ code }) => code)).size;
    return codes <= FEW || this.#search!.isCheaperFor(codes);
  }

  /** Why no look-up can tell anything, ever. */
  #isHopeless(): string | undefined {
    const { listing, baseline, journal, keyField } = this.#ports;
    if (listing === undefined) return 'what was created cannot be listed';
    if (baseline === 'unproved') return 'it is not known what existed before';
    if (journal.get('codesAltered') === true) return `the service changes each ${keyField}`;
    return undefined;
  }

  /** Intents are up to a second older than what they announce. */
  #margin(): number {
    return this.#ports.settleMs + INTENT_MS;
  }

  #due(most: number | undefined): OpenRow[] {
    const { clock, agesFrom } = this.#ports;
    // Without a way to look, there is nothing to wait for.
    if (this.#isHopeless() !== undefined) return this.#rows.openUntil(clock.now(), most);
    const until = clock.now() - this.#margin();
    return until < agesFrom ? [] : this.#rows.openUntil(until, most);
  }

  /** @returns rows that a search could not settle */
  async #lookUp(due: readonly OpenRow[]): Promise<OpenRow[]> {
    const left: OpenRow[] = [];
    const codes = new Map<string, OpenRow[]>();
    for (const doubt of due) {
      if (doubt.code === null) left.push(doubt);
      else codes.set(doubt.code, [...(codes.get(doubt.code) ?? []), doubt]);
    }
    const queue = [...codes];
    let answers: Answer[] = [];
    const work = async (): Promise<void> => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        const [value, doubts] = next;
        const askedAt = this.#ports.clock.now();
        const found = await this.#search!.find(value);
        if (found.kind === 'unproved') left.push(...doubts);
        else answers.push({ key: 'code', value, ids: found.ids, askedAt });
        if (answers.length < PER_COMMIT && queue.length > 0) continue;
        this.#decide(answers);
        answers = [];
      }
    };
    await Promise.all(Array.from({ length: this.#ports.hasSwaps() ? 1 : AT_ONCE }, work));
    this.#decide(answers);
    return left;
  }

  /** Reads the whole list; what is not in it is absent, if its end is proved. */
  async #readAll(due: readonly OpenRow[]): Promise<void> {
    const askedAt = this.#ports.clock.now();
    const answers = new Map<string, Answer & { ids: string[] }>();
    for (const { code, name } of due) {
      const key = code === null ? 'name' : 'code';
      const value = code ?? name;
      if (value !== null) answers.set(`${key} ${value}`, { key, value, ids: [], askedAt });
    }
    if (answers.size === 0) return;
    const note = (rows: readonly Listed[]) => {
      for (const { id, code, name } of rows) {
        const key = code === null || code === '' ? `name ${name}` : `code ${code}`;
        const ids = answers.get(key)?.ids;
        if (id !== undefined && ids?.includes(id) === false) ids.push(id);
      }
    };
    const listing = this.#ports.listing!;
    const hasSwaps = this.#ports.hasSwaps();
    const isComplete =
      (await scan(listing, note, hasSwaps)) || (hasSwaps && (await scan(listing, note, true)));
    const proved = [...answers.values()].filter(({ ids }) => isComplete || ids.length > 0);
    for (let from = 0; from < proved.length; from += PER_COMMIT) {
      this.#decide(proved.slice(from, from + PER_COMMIT));
    }
    if (isComplete) return;
    for (const { key, value, ids } of answers.values()) {
      const open = this.#rows.members(key, value).filter(isOpen);
      if (ids.length === 0) this.#park(open, 'the list could not be read to a proved end');
    }
  }

  /**
   * What the rows with each key have become, given all ids that now carry it. Reads and writes the
   * journal in one go, so that nothing changes between.
   */
  #decide(answers: readonly Answer[]): void {
    this.#ports.record(answers.flatMap((answer) => this.#verdicts(answer)));
  }

  #verdicts({ key, value, ids, askedAt }: Answer): Settled[] {
    const members = this.#rows.members(key, value);
    const until = askedAt - this.#margin();
    const isUnderWay = ({ state, sent_at: at }: Member) =>
      state === 'sending' || (state === 'unconfirmed' && Number(at) > until);
    // What was found may be the one that is under way: another time.
    if (members.some(isUnderWay)) return [];
    const known = new Set<string | null>(this.#ports.journal.catalogue.idsOf(key, value));
    for (const { id, state } of members) if (state === 'created') known.add(id);
    const fresh = ids.filter((id) => !known.has(id));
    const unknown = members.filter(({ state }) => state === 'unconfirmed');
    return members.flatMap((member): Settled[] => {
      const { row, state, reason, looked_up: looked } = member;
      if (state === 'unconfirmed') {
        return [{ row, was: state, verdict: lookedUp(fresh, unknown.length, member) }];
      }
      if (state !== 'rejected' || looked === 1) return [];
      const refused = { state, status: 409, reason: reason ?? undefined, lookedUp: true } as const;
      const [id] = ids;
      return [{ row, was: state, verdict: id === undefined ? refused : { state: 'existing', id } }];
    });
  }

  /** Gives rows up, and says why. All may be in doubt, so their reasons are not held at once. */
  #park(doubts: readonly Pick<OpenRow, 'row' | 'state'>[], why: string): void {
    const { keyField } = this.#ports;
    for (let from = 0; from < doubts.length; from += PER_PARKING) {
      const some = doubts.slice(from, from + PER_PARKING);
      this.#ports.record(
        some.map(({ row, state }) => ({
          row,
          was: state,
          verdict: parked(state, this.#rows.answered(row), why, keyField),
        })),
      );
    }
  }
}
