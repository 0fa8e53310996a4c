import type { Row } from '../../core/result.ts';
import type { LineCounts } from '../../nouns/shared/lines/items-in-place.ts';
import type { Facts } from './facts.ts';
import type { Phase, RunHeader } from './header.ts';
import type { Journal } from './journal.ts';
import { countOrderLines } from './rows/order-lines.ts';
import type { Counts } from './rows/states.ts';

/** Unconfirmed rows that a summary names. */
const NAMED = 10;

/** Rows by state, as people and scripts read them. */
export interface Counted {
  readonly rows: number;
  /** Left out by `--where`; absent if nothing was. */
  readonly filtered?: number;
  readonly created: number;
  readonly existing: number;
  readonly duplicates: number;
  readonly dropped: number;
  readonly rejected: number;
  readonly unknown: number;
  readonly pending: number;
}

/** Counts that add up: a row without an outcome is unconfirmed. */
export function counted(counts: Counts): Counted {
  return {
    rows: Object.values(counts).reduce((sum, count) => sum + count, 0),
    ...(counts.filtered === 0 ? {} : { filtered: counts.filtered }),
    created: counts.created,
    existing: counts.existing,
    duplicates: counts.duplicate,
    dropped: counts.dropped,
    rejected: counts.rejected,
    unknown: counts.unconfirmed + counts.sending,
    pending: counts.pending,
  };
}

/**
 * A run as it stands when this is asked for: its counts, warnings, next command and exit code all derive
 * from here. What is not asked is not read.
 */
export class Summary {
  readonly header: RunHeader;
  readonly #journal: Journal;
  #counts: Counted | undefined;
  #parked: number | undefined;

  constructor(journal: Journal) {
    this.header = journal.header;
    this.#journal = journal;
  }

  get phase(): Phase {
    return this.#journal.phase;
  }

  get counts(): Counted {
    this.#counts ??= counted(this.#journal.counts());
    return this.#counts;
  }

  /** Unconfirmed rows that no look-up will tell anything of: only a person can, by `imports resolve`. */
  get parked(): number {
    const { unknown } = this.counts;
    // Without its journal no run can be resumed, so that nothing will look these rows up.
    if (unknown === 0 || this.isLost) return unknown;
    this.#parked ??= this.#journal.unconfirmed.countParked();
    return this.#parked;
  }

  /** Unconfirmed rows that resuming looks up. */
  get open(): number {
    return this.counts.unknown - this.parked;
  }

  /** Its journal was removed while it was open. */
  get isLost(): boolean {
    return this.#journal.isRemoved;
  }

  /** What is left to do: by resuming it, or by a person; `nothing` if every row has its final state. */
  get left(): 'resume' | 'resolve' | 'nothing' {
    if (this.phase !== 'finished' || this.counts.pending > 0) return 'resume';
    if (this.counts.unknown === 0) return 'nothing';
    return this.open > 0 ? 'resume' : 'resolve';
  }

  /** Rejected rows that a later run brought in; they count by what became of them there. */
  get repaired(): number {
    return this.#journal.reported.countRepaired();
  }

  /** The first unconfirmed rows. */
  get unconfirmed(): Row[] {
    return this.counts.unknown === 0 ? [] : this.#journal.reported.unconfirmed(NAMED);
  }

  /** What its created rows order; undefined if they order nothing. */
  get ordered(): LineCounts | undefined {
    const isAsked = this.fact('ordersLines') === true;
    return isAsked ? countOrderLines(this.#journal, 'created') : undefined;
  }

  fact<K extends keyof Facts>(key: K): Facts[K] | undefined {
    return this.#journal.get(key);
  }
}

export function summary(journal: Journal): Summary {
  return new Summary(journal);
}
