import type { Row } from '../../../core/result.ts';
import { compareDecimals } from '../../../core/text/decimal.ts';
import { OrderComparison } from '../changes/compare-orders.ts';
import type { Snapshot } from '../changes/snapshot.ts';
import { amountOf, dimensionOf, OrderTotals, UNKNOWN } from '../order-totals.ts';

const MOST_LARGE = 10;

interface Sized {
  readonly order: Row;
  readonly amount: string;
}

export class OrderFigures {
  readonly months = new OrderTotals(['month', 'status', 'currency']);
  readonly #statuses = new OrderTotals(['status']);
  readonly #largest = new Map<string, Sized[]>();
  readonly #comparison: OrderComparison | undefined;
  readonly before: Snapshot | undefined;
  orders = 0;
  withoutDate = 0;
  withoutAmount = 0;

  constructor(before: Snapshot | undefined) {
    this.before = before;
    this.#comparison = before === undefined ? undefined : new OrderComparison(before);
  }

  add(order: Row): void {
    this.orders++;
    this.months.add(order);
    this.#statuses.add(order);
    if (dimensionOf(order, 'month') === UNKNOWN) this.withoutDate++;
    const amount = amountOf(order.amount);
    if (amount === undefined) this.withoutAmount++;
    else this.#keepLarge({ order, amount }, dimensionOf(order, 'currency'));
  }

  /**
   * Compares an order with the snapshot. Snapshots have all orders, so call this also for orders that the
   * filter omits.
   */
  compare(order: Row): void {
    this.#comparison?.add(order);
  }

  /** The largest first. */
  largest(currency: string): readonly Row[] {
    return (this.#largest.get(currency) ?? []).map(({ order }) => order);
  }

  /** The most frequent first. */
  statuses(): readonly { readonly status: string; readonly orders: number }[] {
    const counts = new Map<string, number>();
    for (const row of this.#statuses.rows()) {
      const status = String(row.status);
      counts.set(status, (counts.get(status) ?? 0) + Number(row.orders));
    }
    return [...counts]
      .map(([status, orders]) => ({ status, orders }))
      .sort((a, b) => b.orders - a.orders);
  }

  changes(isWhole: boolean) {
    return this.#comparison?.changes(isWhole);
  }

  #keepLarge(sized: Sized, currency: string): void {
    const large = this.#largest.get(currency) ?? [];
    this.#largest.set(currency, large);
    const at = large.findIndex(({ amount }) => compareDecimals(sized.amount, amount) > 0);
    if (at >= 0) large.splice(at, 0, sized);
    else if (large.length < MOST_LARGE) large.push(sized);
    if (large.length > MOST_LARGE) large.pop();
  }
}
