import type { Row } from '../../../core/result.ts';
import { numberText } from '../../../core/text/raw-number.ts';
import { momentText } from '../../../core/time/moment.ts';

/** Amounts are text, so that no digit is lost. */
export interface KeptOrder {
  readonly id: string | null;
  readonly code: string | null;
  readonly title: string | null;
  readonly status: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
}

export interface Snapshot {
  readonly name: string;
  /** When it was saved, ms; undefined for a file. */
  readonly savedAt?: number;
  readonly orders: readonly KeptOrder[];
}

/** `the snapshot "daily" of 2026-11-21 08:00 +00:00`. For a file: its name. */
export function snapshotText({ name, savedAt }: Snapshot): string {
  if (savedAt === undefined) return name;
  return `the snapshot "${name}" of ${momentText(savedAt)}`;
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

/** Undefined if an order has neither an id nor a code. */
export function keyOf({ id, code }: KeptOrder): string | undefined {
  if (id !== null) return `i${id}`;
  return code === null ? undefined : `c${code}`;
}

function text(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  return numberText(value) ?? (typeof value === 'string' ? value : JSON.stringify(value));
}
