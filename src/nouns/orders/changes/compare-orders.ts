import type { Row } from '../../../core/result.ts';
import { compareDecimals, isDecimal } from '../../../core/text/decimal.ts';
import { rawNumber } from '../../../core/text/raw-number.ts';
import { type KeptOrder, keptOrder, keyOf, type Snapshot } from './snapshot.ts';

export interface Changes {
  readonly rows: readonly Row[];
  readonly counts: Readonly<Record<'orders' | 'new' | 'changed' | 'gone', number>>;
  /** Rows of orders that have an amount now and had none in the snapshot. */
  readonly hadNoAmount: ReadonlySet<Row>;
}

export const COMPARED = ['status', 'amount', 'currency'] as const;

export class OrderComparison {
  readonly #before: Map<string, KeptOrder>;
  readonly #changed: Row[] = [];
  readonly #now: KeptOrder[] = [];
  readonly #seen = new Set<string>();
  readonly #new: Row[] = [];
  readonly #hadNoAmount = new Set<Row>();

  constructor(before: Snapshot | undefined) {
    this.#before = new Map(
      before?.orders.flatMap((order) => {
        const key = keyOf(order);
        return key === undefined ? [] : [[key, order] as const];
      }),
    );
  }

  get now(): readonly KeptOrder[] {
    return this.#now;
  }

  add(order: Row): void {
    const now = keptOrder(order);
    this.#now.push(now);
    const key = keyOf(now);
    if (key === undefined) return;
    this.#seen.add(key);
    const before = this.#before.get(key);
    if (before === undefined) this.#new.push(rowOf('new', now, undefined));
    else if (isChanged(before, now)) {
      const row = rowOf('changed', now, before);
      this.#changed.push(row);
      if (before.amount === null && now.amount !== null) this.#hadNoAmount.add(row);
    }
  }

  /** @param isWhole whether the end of the list was verified; if not, no order counts as gone */
  changes(isWhole: boolean): Changes {
    const gone = isWhole
      ? [...this.#before].filter(([key]) => !this.#seen.has(key)).map(([, order]) => order)
      : [];
    return {
      rows: [
        ...this.#new,
        ...this.#changed,
        ...gone.map((order) => rowOf('gone', order, undefined)),
      ],
      counts: {
        orders: this.#now.length,
        new: this.#new.length,
        changed: this.#changed.length,
        gone: gone.length,
      },
      hadNoAmount: this.#hadNoAmount,
    };
  }
}

function isChanged(before: KeptOrder, now: KeptOrder): boolean {
  return COMPARED.some((field) =>
    field === 'amount' ? !isSameAmount(before.amount, now.amount) : before[field] !== now[field],
  );
}

/** 12.5 equals 12.50: a spreadsheet may have removed the last zero. */
function isSameAmount(a: string | null, b: string | null): boolean {
  if (a === null || b === null || !isDecimal(a) || !isDecimal(b)) return a === b;
  return compareDecimals(a, b) === 0;
}

function rowOf(
  change: 'new' | 'changed' | 'gone',
  order: KeptOrder,
  before: KeptOrder | undefined,
): Row {
  const { id, code, title, status, amount, currency } = order;
  const was = (field: 'status' | 'currency') =>
    before !== undefined && before[field] !== order[field] ? before[field] : null;
  return {
    change,
    id,
    code,
    title,
    status,
    previousStatus: was('status'),
    amount: numberOf(amount),
    previousAmount:
      before !== undefined && !isSameAmount(before.amount, amount) ? numberOf(before.amount) : null,
    currency,
    previousCurrency: was('currency'),
  };
}

function numberOf(amount: string | null): unknown {
  return amount !== null && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(amount)
    ? rawNumber(amount)
    : amount;
}
