import type { Problem } from '../../core/problem/row-problem.ts';
import { storedCode } from '../../core/service/code-change.ts';
import type { Listed, Listing } from '../../listing/listing.ts';
import { scan } from '../../listing/scan.ts';
import { Search } from '../../listing/search.ts';
import type { RunClock } from '../run-clock.ts';
import type { Baseline } from '../store/facts.ts';
import { isOpen, type OpenRow, type UnconfirmedRows } from '../store/looked-up-rows.ts';
import {
  type LookUpResult,
  PER_COMMIT,
  type VerdictPorts,
  type Verdicts,
  verdictsOf,
} from './verdicts.ts';
import { type WantedKey, wholeReading } from './whole-reading.ts';
import { areShown, covers, formOf, type Witnesses, witnessesAmong } from './witnesses.ts';

const PER_ROUND = 200;
/** Up to this many codes are searched for one by one, however short the list is. */
const FEW = 10;
const AT_ONCE = 4;

interface ReconcilerPorts extends VerdictPorts {
  /** Undefined if the service cannot list the noun. */
  readonly listing: Listing | undefined;
  readonly baseline: Baseline;
  readonly clock: RunClock;
  /** After this time a request has been applied or never will be. */
  readonly settleMs: number;
  /** The age of rows sent before this time is unknown. They count as sent at this time. */
  readonly agesFrom: number;
  readonly nameField: string | undefined;
  /** Responses got mixed up, so look-ups must not overlap. */
  isOneByOne(): boolean;
  /**
   * Detects the parameter names of the list again: an empty list does not show them. Undefined if it
   * detects nothing new.
   */
  relearn(): Promise<Listing | undefined>;
}

/**
 * Looks up unconfirmed rows, and rows whose key was taken (409), once the service has had time to
 * apply their requests. `Verdicts` records the outcomes.
 */
export class Reconciler {
  readonly #ports: ReconcilerPorts;
  readonly #rows: UnconfirmedRows;
  readonly #verdicts: Verdicts;
  #listing: Listing | undefined;
  #search: Search | undefined;
  #hasRelearned = false;
  /** A search did not find a created row in the list. Only the whole list can tell why. */
  #isListDoubted = false;

  constructor(ports: ReconcilerPorts) {
    this.#ports = ports;
    this.#rows = ports.run.rows.unconfirmed;
    this.#verdicts = verdictsOf(ports, this.#margin());
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
      this.#verdicts.park(due, why ?? { code: 'not_listed', args: {} });
      return;
    }
    if (due.length === 0) return;
    const isUsable = !this.#isListDoubted && (await this.#search.isUsable());
    const left = isUsable && this.#isWorthSearching(due) ? await this.#lookUp(due) : due;
    if (left.length > 0) await this.#readAll(left);
  }

  #keyless(): Pick<OpenRow, 'row' | 'state'>[] {
    return this.#ports.listing === undefined ? [] : this.#rows.keyless();
  }

  #parkKeyless(): void {
    const args = { key: this.#ports.keyField };
    this.#verdicts.park(this.#keyless(), { code: 'nothing_to_look_up', args });
  }

  #isWorthSearching(due: readonly OpenRow[]): boolean {
    const codes = new Set(due.map(({ code }) => code)).size;
    return codes <= FEW || this.#search!.isCheaperFor(codes);
  }

  #uselessBecause(): Problem | undefined {
    const { listing, baseline, run, keyField } = this.#ports;
    if (listing === undefined) return { code: 'not_listed', args: {} };
    if (baseline === 'unproved') return { code: 'unknown_before', args: {} };
    if (run.get('codesAltered') === true) {
      return { code: 'stored_otherwise', args: { key: keyField } };
    }
    return undefined;
  }

  /**
   * A row may be looked up this long after its intent. The request may leave up to `intentMs`
   * after the intent.
   */
  #margin(): number {
    return this.#ports.settleMs + this.#ports.clock.intentMs;
  }

  #due(max: number | undefined): OpenRow[] {
    const { clock, agesFrom } = this.#ports;
    // If look-ups cannot work, there is nothing to wait for.
    if (this.#uselessBecause() !== undefined) return this.#rows.openUntil(clock.now(), max);
    const until = clock.now() - this.#margin();
    return until < agesFrom ? [] : this.#rows.openUntil(until, max);
  }

  /**
   * A search that does not find a code proves nothing by itself. It counts only if other searches
   * find created rows with codes of the same form.
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
    const shown = witnesses.rows.map(({ key, id }) => ({ key: this.#stored(key), id }));
    if (!(await areShown(shown, this.#search!))) {
      this.#isListDoubted = true;
      return [...due];
    }
    const queue = [...codes];
    let results: LookUpResult[] = [];
    const work = async (): Promise<void> => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        const [value, rows] = next;
        const askedAt = this.#ports.clock.now();
        const found = await this.#search!.find(this.#stored(value));
        if (found.kind === 'unproved') left.push(...rows);
        else results.push({ key: 'code', value, ids: found.ids, askedAt });
        if (results.length < PER_COMMIT && queue.length > 0) continue;
        const some = results;
        results = [];
        await this.#verdicts.decide(some);
      }
    };
    await Promise.all(Array.from({ length: this.#ports.isOneByOne() ? 1 : AT_ONCE }, work));
    await this.#verdicts.decide(results);
    return left;
  }

  #stored(code: string): string {
    return storedCode(this.#ports.run.codeChange, code);
  }

  #witnessesFor(due: readonly OpenRow[]): Witnesses {
    const codes = due.flatMap(({ code }) => code ?? []);
    const first = due.find(({ code }) => code !== null);
    if (first === undefined) return { rows: [], forms: new Set() };
    const sentUntil = this.#ports.clock.now() - this.#margin();
    return witnessesAmong(this.#rows.createdNear(first.row, sentUntil), codes);
  }

  async #readAll(due: readonly OpenRow[]): Promise<void> {
    const { run, clock, baseline } = this.#ports;
    const askedAt = clock.now();
    const wanted = new Map<string, WantedKey>();
    for (const { code, name } of due) {
      const key = code === null ? 'name' : 'code';
      // Rows that have neither are parked already.
      const value = (code ?? name)!;
      wanted.set(`${key} ${value}`, { key, value });
    }
    const keys = [...wanted.values()];
    const reading = wholeReading(run, keys, askedAt - this.#margin(), baseline);
    const note = (rows: readonly Listed[]) => reading.add(rows);
    const isOneByOne = this.#ports.isOneByOne();
    const read = () => scan(this.#listing!, note, isOneByOne);
    const isComplete =
      (await read()) || ((isOneByOne || (await this.#relearn())) && (await read()));
    if (reading.hasChanged('code')) {
      // Codes prove nothing from now on, so the next call of `lookUpAll` parks all open rows.
      run.set('codesAltered', true);
      return;
    }
    const areNamesChanged = reading.hasChanged('name');
    if (areNamesChanged) {
      const args = { key: this.#ports.nameField ?? 'name' };
      const nameless = due.filter(({ code }) => code === null);
      this.#verdicts.park(nameless, { code: 'stored_otherwise', args });
    }
    const incomplete: Problem | undefined = isComplete
      ? undefined
      : { code: 'list_incomplete', args: {} };
    const results = keys
      .filter(({ key }) => key === 'code' || !areNamesChanged)
      .map((one) => {
        const doubt = incomplete ?? reading.doubt(one);
        return { ...one, ids: reading.idsOf(one), askedAt, doubt };
      });
    const proved = results.filter(({ ids }) => isComplete || ids.length > 0);
    await this.#verdicts.decide(proved);
    if (incomplete === undefined) return;
    for (const { key, value, ids } of results) {
      const open = this.#rows.members(key, value).filter(isOpen);
      if (ids.length === 0) this.#verdicts.park(open, incomplete);
    }
  }

  async #relearn(): Promise<boolean> {
    if (this.#hasRelearned) return false;
    this.#hasRelearned = true;
    const listing = await this.#ports.relearn();
    if (listing !== undefined) this.#use(listing);
    return listing !== undefined;
  }
}
