import type { Clock } from '../../core/ports.ts';
import type { Listing } from '../../listing/listing.ts';
import type { Listed } from '../../listing/page.ts';
import { scan } from '../../listing/scan.ts';
import { Search } from '../../listing/search.ts';
import type { Baseline } from '../ledger/header.ts';
import type { Journal } from '../ledger/journal.ts';
import type { Decided } from '../ledger/rows/send-queue.ts';
import {
  isOpen,
  type Member,
  type OpenRow,
  type UnconfirmedRows,
} from '../ledger/rows/unconfirmed-rows.ts';
import { INTENT_MS } from '../send/sending.ts';
import { covers, formOf } from './key-form.ts';
import { lookedUp, parked } from './looked-up.ts';
import { changedText, type WantedKey, WholeReading } from './whole-reading.ts';
import { areShown, type Witnesses, witnessesAmong } from './witnesses.ts';

const PER_ROUND = 200;
const PER_COMMIT = 32;
/** Up to this many codes are searched for one by one, however short the list is. */
const FEW = 10;
const AT_ONCE = 4;
const PER_PARKING = 1_000;

export interface ReconcilerPorts {
  readonly journal: Journal;
  /** Undefined if the service cannot list the noun. */
  readonly listing: Listing | undefined;
  readonly baseline: Baseline;
  readonly clock: Clock;
  /** `--settle`: after this time a request has been applied or never will be. */
  readonly settleMs: number;
  /** The age of rows sent before this time is unknown. They count as sent at this time. */
  readonly agesFrom: number;
  readonly keyField: string;
  readonly nameField: string | undefined;
  /** The service has swapped responses, so look-ups must not overlap. */
  hasSwaps(): boolean;
  record(rows: readonly Decided[]): void;
  /**
   * Detects the parameter names of the list, which may have been empty before the run. Undefined if
   * that does not help.
   */
  relearn(): Promise<Listing | undefined>;
  /** The given ids whose records other imports or commands of this machine created. */
  createdByOthers(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The ids of all records that had the key at the time of the look-up. */
interface Answer extends WantedKey {
  readonly ids: readonly string[];
  readonly askedAt: number;
  /** Why the look-up does not prove that no record was created with this key. */
  readonly doubt?: string | undefined;
}

/**
 * Looks up unconfirmed rows, and rows whose key was taken (409). Before that, it gives the service
 * time to apply the requests. `lookedUp` decides what the result means.
 */
export class Reconciler {
  readonly #ports: ReconcilerPorts;
  readonly #rows: UnconfirmedRows;
  #listing: Listing | undefined;
  #search: Search | undefined;
  #hasRelearned = false;
  /** A search did not find a created row in the list. Only the whole list can tell why. */
  #isListDoubted = false;

  constructor(ports: ReconcilerPorts) {
    this.#ports = ports;
    this.#rows = ports.journal.unconfirmed;
    this.#use(ports.listing);
  }

  #use(listing: Listing | undefined): void {
    this.#listing = listing;
    this.#search = listing === undefined ? undefined : new Search(listing);
  }

  /**
   * When the next row can be looked up or parked, ms; 0 for at once. Undefined if no row is left.
   */
  nextAt(): number | undefined {
    if (this.#keyless().length > 0) return 0;
    const first = this.#rows.firstOpenAt();
    if (first === undefined) return undefined;
    if (this.#uselessBecause() !== undefined) return 0;
    return Math.max(first, this.#ports.agesFrom) + this.#margin();
  }

  /** Looks up some of the rows that are due, while the run sends other rows. */
  async round(): Promise<void> {
    if (this.#uselessBecause() !== undefined || this.#search === undefined) return;
    this.#parkKeyless();
    const due = this.#due(PER_ROUND);
    if (due.length === 0 || this.#isListDoubted || !(await this.#search.isUsable())) return;
    // If many rows are due, `lookUpAll` is faster: it reads the whole list once.
    if (this.#isWorthSearching(due)) await this.#lookUp(due);
  }

  /** Must be called while no request is in flight. */
  async lookUpAll(): Promise<void> {
    this.#parkKeyless();
    const due = this.#due(undefined);
    const why = this.#uselessBecause();
    if (why !== undefined || this.#search === undefined) {
      this.#park(due, why ?? 'the service cannot list created records');
      return;
    }
    const isUsable = !this.#isListDoubted && (await this.#search.isUsable());
    const left = isUsable && this.#isWorthSearching(due) ? await this.#lookUp(due) : due;
    if (left.length > 0) await this.#readAll(left);
  }

  #keyless(): Pick<OpenRow, 'row' | 'state'>[] {
    return this.#ports.listing === undefined ? [] : this.#rows.keyless();
  }

  #parkKeyless(): void {
    this.#park(this.#keyless(), `it has no ${this.#ports.keyField} to look up`);
  }

  #isWorthSearching(due: readonly OpenRow[]): boolean {
    const codes = new Set(due.map(({ code }) => code)).size;
    return codes <= FEW || this.#search!.isCheaperFor(codes);
  }

  #uselessBecause(): string | undefined {
    const { listing, baseline, journal, keyField } = this.#ports;
    if (listing === undefined) return 'the service cannot list created records';
    if (baseline === 'unproved') return 'proc does not know which records existed before the run';
    if (journal.get('codesAltered') === true) {
      return changedText(keyField);
    }
    return undefined;
  }

  /**
   * A row may be looked up this long after its intent. The request may leave up to `INTENT_MS`
   * after the intent.
   */
  #margin(): number {
    return this.#ports.settleMs + INTENT_MS;
  }

  #due(max: number | undefined): OpenRow[] {
    const { clock, agesFrom } = this.#ports;
    // If look-ups cannot work, there is nothing to wait for.
    if (this.#uselessBecause() !== undefined) return this.#rows.openUntil(clock.now(), max);
    const until = clock.now() - this.#margin();
    return until < agesFrom ? [] : this.#rows.openUntil(until, max);
  }

  /**
   * A search that does not find a code proves nothing by itself. It must also find created rows
   * with codes of the same form.
   *
   * @returns rows that searches could not reconcile
   */
  async #lookUp(due: readonly OpenRow[]): Promise<OpenRow[]> {
    const witnesses = this.#witnessesFor(due);
    const left: OpenRow[] = [];
    const codes = new Map<string, OpenRow[]>();
    for (const row of due) {
      const { code } = row;
      if (code === null || !covers(witnesses.forms, formOf(code))) left.push(row);
      else codes.set(code, [...(codes.get(code) ?? []), row]);
    }
    if (codes.size === 0) return left;
    if (!(await areShown(witnesses.rows, this.#search!))) {
      this.#isListDoubted = true;
      return [...due];
    }
    const queue = [...codes];
    let answers: Answer[] = [];
    const work = async (): Promise<void> => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        const [value, rows] = next;
        const askedAt = this.#ports.clock.now();
        const found = await this.#search!.find(value);
        if (found.kind === 'unproved') left.push(...rows);
        else answers.push({ key: 'code', value, ids: found.ids, askedAt });
        if (answers.length < PER_COMMIT && queue.length > 0) continue;
        const some = answers;
        answers = [];
        await this.#decide(some);
      }
    };
    await Promise.all(Array.from({ length: this.#ports.hasSwaps() ? 1 : AT_ONCE }, work));
    await this.#decide(answers);
    return left;
  }

  #witnessesFor(due: readonly OpenRow[]): Witnesses {
    const codes = due.flatMap(({ code }) => code ?? []);
    const first = due.find(({ code }) => code !== null);
    if (first === undefined) return { rows: [], forms: new Set() };
    const sentUntil = this.#ports.clock.now() - this.#margin();
    return witnessesAmong(this.#rows.createdNear(first.row, sentUntil), codes);
  }

  async #readAll(due: readonly OpenRow[]): Promise<void> {
    const { journal, clock, baseline } = this.#ports;
    const askedAt = clock.now();
    const wanted = new Map<string, WantedKey>();
    for (const { code, name } of due) {
      const key = code === null ? 'name' : 'code';
      const value = code ?? name;
      if (value !== null) wanted.set(`${key} ${value}`, { key, value });
    }
    if (wanted.size === 0) return;
    const keys = [...wanted.values()];
    const reading = new WholeReading(journal, keys, askedAt - this.#margin(), baseline);
    const note = (rows: readonly Listed[]) => reading.add(rows);
    const hasSwaps = this.#ports.hasSwaps();
    const read = () => scan(this.#listing!, note, hasSwaps);
    const isComplete = (await read()) || ((hasSwaps || (await this.#relearn())) && (await read()));
    if (reading.hasChanged('code')) {
      // Codes prove nothing from now on, so the next call of `lookUpAll` parks all open rows.
      journal.set('codesAltered', true);
      return;
    }
    const areNamesChanged = reading.hasChanged('name');
    if (areNamesChanged) {
      this.#park(
        due.filter(({ code }) => code === null),
        changedText(this.#ports.nameField ?? 'name'),
      );
    }
    const incomplete = isComplete ? undefined : 'the list may be incomplete';
    const answers = keys
      .filter(({ key }) => key === 'code' || !areNamesChanged)
      .map((one) => {
        const doubt = incomplete ?? reading.doubt(one);
        return { ...one, ids: reading.idsOf(one), askedAt, doubt };
      });
    const proved = answers.filter(({ ids }) => isComplete || ids.length > 0);
    await this.#decide(proved);
    if (incomplete === undefined) return;
    for (const { key, value, ids } of answers) {
      const open = this.#rows.members(key, value).filter(isOpen);
      if (ids.length === 0) this.#park(open, incomplete);
    }
  }

  async #relearn(): Promise<boolean> {
    if (this.#hasRelearned) return false;
    this.#hasRelearned = true;
    const listing = await this.#ports.relearn();
    if (listing !== undefined) this.#use(listing);
    return listing !== undefined;
  }

  async #decide(answers: readonly Answer[]): Promise<void> {
    await this.#noteOthers(answers);
    for (let from = 0; from < answers.length; from += PER_COMMIT) {
      const some = answers.slice(from, from + PER_COMMIT);
      // Synchronous, so that no row changes before its verdict is recorded.
      this.#ports.record(some.flatMap((answer) => this.#verdicts(answer)));
    }
  }

  /**
   * Adds records that others created from this machine to the catalogue, so that no row adopts
   * them.
   */
  async #noteOthers(answers: readonly Answer[]): Promise<void> {
    const { journal, createdByOthers } = this.#ports;
    const others = await createdByOthers(answers.flatMap(({ ids }) => ids));
    if (others.size === 0) return;
    const listed = answers.flatMap(({ key, value, ids }) => {
      const keys = { code: null, name: null, [key]: value };
      return ids.filter((id) => others.has(id)).map((id) => ({ id, ...keys }));
    });
    journal.commit(() => journal.catalogue.add(listed));
  }

  #verdicts({ key, value, ids, askedAt, doubt }: Answer): Decided[] {
    const { catalogue, header } = this.#ports.journal;
    const members = this.#rows.members(key, value);
    const until = askedAt - this.#margin();
    const isUnderWay = ({ state, sent_at: at }: Member) =>
      state === 'sending' || (state === 'unconfirmed' && Number(at) > until);
    // The record found may belong to a row that is still in flight, so a later round decides.
    if (members.some(isUnderWay)) return [];
    const theirs = new Set(catalogue.idsOf(key, value));
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
      const refused = { state, status: 409, reason: reason ?? undefined, lookedUp: true } as const;
      const [id] = ids;
      return [{ row, was: state, verdict: id === undefined ? refused : { state: 'existing', id } }];
    });
  }

  /** In batches, because all rows of a run may be unconfirmed. */
  #park(rows: readonly Pick<OpenRow, 'row' | 'state'>[], why: string): void {
    const { keyField } = this.#ports;
    for (let from = 0; from < rows.length; from += PER_PARKING) {
      const some = rows.slice(from, from + PER_PARKING);
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
