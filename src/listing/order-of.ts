import type { Row } from '../core/result.ts';
import { plausibleOrders } from './comparators.ts';

const ORDERS = plausibleOrders();

/**
 * The order of the rows by this field, in any plausible collation: 1 ascending, -1 descending, 0 neither.
 *
 * @returns undefined if this cannot be told: a row has no text or number there, or fewer than `distinct`
 * values differ
 */
export function orderOf(rows: readonly Row[], field: string, distinct = 3): 1 | -1 | 0 | undefined {
  const values = rows.map((row) => row[field]);
  if (new Set(values).size < distinct) return undefined;
  if (!values.every((one) => typeof one === 'string' || typeof one === 'number')) return undefined;
  const texts = values.map(String);
  const isOrdered = (sign: number) =>
    ORDERS.some(({ compare }) =>
      texts.every((text, at) => at === 0 || compare(texts[at - 1]!, text) * sign <= 0),
    );
  return isOrdered(1) ? 1 : isOrdered(-1) ? -1 : 0;
}

/** Whether rows that a service should have sorted are provably in another order. */
export function isOutOfOrder(rows: readonly Row[], { sort, dir }: Row): boolean {
  if (typeof sort !== 'string') return false;
  const order = orderOf(rows, sort, 2);
  return order !== undefined && order !== (dir === 'desc' ? -1 : 1);
}
