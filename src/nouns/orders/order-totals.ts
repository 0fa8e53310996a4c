import { exactNumber, sumDecimals } from '../../core/numbers.ts';
import type { Row } from '../../core/result.ts';
import { decimalOf } from '../../output/cell.ts';

export type Dimension = 'status' | 'currency' | 'month';

interface Bucket {
  readonly key: Readonly<Record<string, string>>;
  orders: number;
  readonly amounts: string[];
  without: number;
}

export class OrderTotals {
  readonly #by: readonly Dimension[];
  readonly #buckets = new Map<string, Bucket>();

  constructor(by: readonly Dimension[]) {
    // Amounts in different currencies cannot be added, so the currency is always a dimension.
    this.#by = by.includes('currency') ? by : [...by, 'currency'];
  }

  add(order: Row): void {
    const key = Object.fromEntries(
      this.#by.map((dimension) => [dimension, dimensionOf(order, dimension)]),
    );
    const name = Object.values(key).join('\0');
    const bucket = this.#buckets.get(name) ?? { key, orders: 0, amounts: [], without: 0 };
    this.#buckets.set(name, bucket);
    bucket.orders++;
    const amount = decimalOf(order.amount);
    if (amount === undefined) bucket.without++;
    else bucket.amounts.push(amount);
    // Sums up from time to time, so that memory stays flat for a million orders.
    if (bucket.amounts.length > 1000)
      bucket.amounts.splice(0, Number.POSITIVE_INFINITY, sumDecimals(bucket.amounts));
  }

  rows(): Row[] {
    return [...this.#buckets]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { key, orders, amounts, without }]) => ({
        ...key,
        orders,
        amount: exactNumber(sumDecimals(amounts)),
        withoutAmount: without,
      }));
  }
}

/** For orders that lack the field of a dimension. */
export const UNKNOWN = 'unknown';

export function dimensionOf(order: Row, dimension: Dimension): string {
  const value = dimension === 'month' ? monthOf(order.createdAt) : order[dimension];
  return typeof value === 'string' && value !== '' ? value : UNKNOWN;
}

/** `2011-04` from `2011-04-16T00:00:00Z`. The field may be missing. */
function monthOf(createdAt: unknown): string | undefined {
  return typeof createdAt === 'string'
    ? /^\d{4}-(?:0[1-9]|1[0-2])(?=-|$)/.exec(createdAt)?.[0]
    : undefined;
}
