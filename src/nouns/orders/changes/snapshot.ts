import type { Row } from '../../../core/result.ts';
import { numberText } from '../../../core/text/raw-number.ts';

/** An order as a snapshot keeps it. Amounts are text, so that every digit counts. */
export interface KeptOrder {
  readonly id: string | null;
  readonly code: string | null;
  readonly title: string | null;
  readonly status: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
}

export interface Snapshot {
  /** For people: `daily of 2026-11-21T08:00:00.000Z`, or the name of a file. */
  readonly name: string;
  readonly orders: readonly KeptOrder[];
}

export function keptOrder(order: Row): KeptOrder {
  return {
    id: text(order.id),
    code: text(order.code),
    title: text(order.title),
    status: text(order.status),
    amount: text(order.amount),
    currency: text(order.currency),
  };
}

/** What identifies an order; undefined if it has neither an id nor a code. */
export function keyOf({ id, code }: KeptOrder): string | undefined {
  if (id !== null) return `i${id}`;
  return code === null ? undefined : `c${code}`;
}

function text(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  return numberText(value) ?? (typeof value === 'string' ? value : JSON.stringify(value));
}
