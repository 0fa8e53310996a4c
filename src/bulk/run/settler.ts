import type { Clock } from '../../core/ports.ts';
import type { Baseline } from '../journal/header.ts';
import type { Journal } from '../journal/journal.ts';
import type { Listing } from '../listing/listing.ts';
import { scan } from '../listing/scan.ts';
import { Search } from '../listing/search.ts';
import type { Settled } from './ledger.ts';
import { INTENT_MS } from './sending.ts';
import type { Verdict } from './verdict.ts';

/** Codes that are looked up in one round. */
const PER_ROUND = 200;
/** Codes that are settled in one transaction. */
const PER_COMMIT = 32;
/** So few codes are searched for however short the list is. */
const FEW = 10;
/** Look-ups at once. */
const AT_ONCE = 4;
/** Pages that the search for one code takes, about. */
const PAGES_PER_SEARCH = 14;
/** A row that was sent this often and never arrived is not sent again. */
const MOST_TRIES = 5;

/** Rows to look up: those in doubt that were sent before a time, and those whose key was taken. */
const OPEN = `
  SELECT row, code, name, state, sent_at AS at FROM rows
    WHERE state = 'unknown' AND sent_at <= ? AND looked_up = 0
  UNION ALL SELECT row, code, name, state, 0 FROM rows
    WHERE status = 409 AND state = 'rejected' AND looked_up = 0`;

/** Of these, those that no look-up can find: there is nothing to wait for. */
const KEYLESS = `SELECT row, state FROM (${OPEN}) WHERE code IS NULL AND name IS NULL`;

export interface SettlerPorts {
  readonly journal: Journal;
  /** Undefined where the noun cannot be listed. */
  readonly listing: Listing | undefined;
  readonly baseline: Baseline;
  readonly clock: Clock;
  /** How long after it was sent a row is surely applied or never will be. */
  readonly settleMs: number;
  readonly keyField: string;
  /** Writes what was found out, at once. */
  settle(rows: readonly Settled[]): void;
}

interface Doubt {
  readonly row: number;
  readonly code: string | null;
  readonly name: string | null;
  readonly state: 'unknown' | 'rejected';
}

/** All ids that carried a key when it was asked for. */
interface Answer {
  readonly key: 'code' | 'name';
  readonly value: string;
  readonly ids: readonly string[];
  readonly askedAt: number;
}

interface Member {
  readonly row: number;
  readonly state: 'unknown' | 'rejected' | 'created' | 'sent';
  readonly id: string | null;
  readonly sent_at: number | null;
  readonly looked_up: number;
  readonly tries: number;
  readonly reason: string | null;
}

/**
 * Finds out what became of rows in doubt, by looking their codes up once the service has had its
 * time. What is found and new is ours; what is proved absent is pending again; all else stays unknown
 * and is not looked at again.
 */
export class Settler {
  readonly #ports: SettlerPorts;
  readonly #search: Search | undefined;

  constructor(ports: SettlerPorts) {
    this.#ports = ports;
    this.#search = ports.listing === undefined ? undefined : new Search(ports.listing);
  }

  /** When the first of the rows in doubt can be looked up, ms; undefined where none is left. */
  nextAt(): number | undefined {
    if (this.#keyless().length > 0) return 0;
    const row = this.#ports.journal.database
      .prepare(`SELECT min(at) AS at, count(*) AS n FROM (${OPEN})`)
      .get(Number.MAX_SAFE_INTEGER) as { at: number | null; n: number };
    if (row.n === 0) return undefined;
    return this.#isHopeless() === undefined ? Number(row.at ?? 0) + this.#margin() : 0;
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

  #keyless(): Doubt[] {
    const { journal, listing } = this.#ports;
    if (listing === undefined) return [];
    const rows = journal.database.prepare(KEYLESS).all(Number.MAX_SAFE_INTEGER);
    return rows as unknown as Doubt[];
  }

  #parkKeyless(): void {
    this.#park(this.#keyless(), `it has no ${this.#ports.keyField} to look it up by`);
  }

  #isWorthSearching(due: readonly Doubt[]): boolean {
    const codes = new Set(due.map(({ code }) => code)).size;
    return codes <= FEW || codes * PAGES_PER_SEARCH < this.#search!.size / 100;
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

  #due(most: number | undefined): Doubt[] {
    const { journal, clock } = this.#ports;
    // Without a way to look, there is nothing to wait for.
    const until = this.#isHopeless() === undefined ? clock.now() - this.#margin() : clock.now();
    return journal.database
      .prepare(`${OPEN} ORDER BY code LIMIT ?`)
      .all(until, most ?? -1) as unknown as Doubt[];
  }

  /** @returns rows that a search could not settle */
  async #lookUp(due: readonly Doubt[]): Promise<Doubt[]> {
    const left: Doubt[] = [];
    const codes = new Map<string, Doubt[]>();
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
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    this.#decide(answers);
    return left;
  }

  /** Reads the whole list; what is not in it is absent, if its end is proved. */
  async #readAll(due: readonly Doubt[]): Promise<void> {
    const askedAt = this.#ports.clock.now();
    const answers = new Map<string, Answer & { ids: string[] }>();
    for (const { code, name } of due) {
      const key = code === null ? 'name' : 'code';
      const value = code ?? name;
      if (value !== null) answers.set(`${key} ${value}`, { key, value, ids: [], askedAt });
    }
    if (answers.size === 0) return;
    const isComplete = await scan(this.#ports.listing!, (rows) => {
      for (const { id, code, name } of rows) {
        const key = code === null || code === '' ? `name ${name}` : `code ${code}`;
        const ids = answers.get(key)?.ids;
        if (id !== undefined && ids?.includes(id) === false) ids.push(id);
      }
    });
    const proved = [...answers.values()].filter(({ ids }) => isComplete || ids.length > 0);
    for (let from = 0; from < proved.length; from += PER_COMMIT) {
      this.#decide(proved.slice(from, from + PER_COMMIT));
    }
    if (isComplete) return;
    for (const { key, value, ids } of answers.values()) {
      const open = this.#members(key, value).filter(isOpen);
      if (ids.length === 0) this.#park(open, 'the list could not be read to a proved end');
    }
  }

  /**
   * What the rows with each key have become, given all ids that now carry it. Reads and writes the
   * journal in one go, so that nothing changes between.
   */
  #decide(answers: readonly Answer[]): void {
    this.#ports.settle(answers.flatMap((answer) => this.#verdicts(answer)));
  }

  #verdicts({ key, value, ids, askedAt }: Answer): Settled[] {
    const members = this.#members(key, value);
    const until = askedAt - this.#margin();
    const isUnderWay = ({ state, sent_at: at }: Member) =>
      state === 'sent' || (state === 'unknown' && Number(at) > until);
    // What was found may be the one that is under way: another time.
    if (members.some(isUnderWay)) return [];
    const known = new Set(
      this.#ports.journal.database
        .prepare(`SELECT id FROM catalogue WHERE ${key} = ?`)
        .all(value)
        .map(({ id }) => id),
    );
    for (const { id, state } of members) if (state === 'created') known.add(id);
    const fresh = ids.filter((id) => !known.has(id));
    const unknown = members.filter(({ state }) => state === 'unknown');
    return members.flatMap(({ row, state, tries, reason, looked_up: looked }): Settled[] => {
      if (state === 'unknown') {
        return [{ row, was: state, verdict: verdictFor(fresh, unknown.length, tries, reason) }];
      }
      if (state !== 'rejected' || looked === 1) return [];
      const refused = { state, status: 409, reason: reason ?? undefined, lookedUp: true } as const;
      const [id] = ids;
      return [{ row, was: state, verdict: id === undefined ? refused : { state: 'existing', id } }];
    });
  }

  #members(key: 'code' | 'name', value: string): Member[] {
    return this.#ports.journal.database
      .prepare(
        `SELECT row, state, id, sent_at, looked_up, tries, reason FROM rows
         WHERE ${key} = ? AND (state IN ('unknown', 'created', 'sent') OR (state = 'rejected' AND status = 409))
         ORDER BY row`,
      )
      .all(value) as unknown as Member[];
  }

  #park(doubts: readonly Pick<Doubt, 'row' | 'state'>[], why: string): void {
    this.#ports.settle(
      doubts.map(({ row, state }) => ({
        row,
        was: state,
        verdict:
          state === 'unknown'
            ? { state, reason: why, lookedUp: true }
            : {
                state,
                status: 409,
                reason: `its ${this.#ports.keyField} is taken (409), but ${why}`,
                lookedUp: true,
              },
      })),
    );
  }
}

/** In doubt, and not yet given up. */
function isOpen(member: Member): member is Member & { readonly state: 'unknown' | 'rejected' } {
  const { state, looked_up: looked } = member;
  return looked === 0 && (state === 'unknown' || state === 'rejected');
}

/** Found and new: ours. Absent: to be sent again. Otherwise nobody can tell. */
function verdictFor(
  fresh: readonly string[],
  unknown: number,
  tries: number,
  reason: string | null,
): Verdict {
  if (fresh.length === 1 && unknown === 1) return { state: 'created', id: fresh[0] };
  if (fresh.length > 0) {
    return {
      state: 'unknown',
      reason: `${fresh.length} new rows carry its key, for ${unknown} in doubt: ${fresh.slice(0, 5).join(', ')}`,
      lookedUp: true,
    };
  }
  if (tries >= MOST_TRIES) {
    return {
      state: 'rejected',
      reason: `sent ${tries} times and never created: ${reason ?? 'no answer'}`,
    };
  }
  return { state: 'pending' };
}
