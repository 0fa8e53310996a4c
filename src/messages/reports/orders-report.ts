import { grouped } from '../../core/text/decimal.ts';

export const ordersReportMessages = {
  title: 'Purchase orders',
  orders: (count: number) => (count === 1 ? '1 order' : `${grouped(count)} orders`),
  /** `500 orders: 457 complete, 42 rejected, 1 pending; 70,479,332.64 USD.` */
  lead: (orders: string, statuses: string, amounts: string) =>
    `${orders}: ${statuses}${amounts === '' ? '' : `; ${amounts}`}.`,
  none: 'No orders.',
  other: 'other',
  footer: (version: string, time: string) => `Made by proc ${version} on ${time}.`,
  incomplete: {
    title: 'This list may be incomplete',
    text: 'proc could not verify that it read all orders, so there may be more than here.',
  },
  totals: {
    title: (dimensions: string) => `Orders by ${dimensions}`,
    sheet: 'Totals',
    never: 'Amounts in different currencies are never added.',
  },
  dimensions: { status: 'status', currency: 'currency', month: 'month' },
  /** For orders that lack the field of a dimension. */
  without: { status: 'no status', currency: 'no currency', month: 'no date' },
  and: 'and',
  months: {
    title: (currency: string) => `${currency} by month`,
    chart: (currency: string, months: number, most: string) =>
      `Bar chart of the amounts in ${currency} by month and status; ${months === 1 ? '1 month' : `${grouped(months)} months`}, at most ${most}`,
    table: (currency: string) => `Amounts in ${currency} by month and status`,
    latest: (count: number) => `The chart shows the latest ${grouped(count)} months.`,
    total: 'total',
    all: 'all months',
  },
  largest: {
    title: 'Largest orders',
    table: (currency: string) => `Largest orders in ${currency}`,
  },
  missing: {
    title: 'Missing data',
    nothing: 'Every order has a date and an amount.',
    date: (count: string, share: string) =>
      `${count} (${share}) without a date: the month is "no date".`,
    amount: (count: string, share: string) =>
      `${count} (${share}) without a usable amount: counted as 0.`,
  },
  changes: {
    title: 'Changes',
    /** `the snapshot "daily" of 2026-11-21 08:00 +00:00` */
    snapshot: (name: string, time: string) => `the snapshot "${name}" of ${time}`,
    since: (name: string, counts: string) => `Since ${name}: ${counts}.`,
    counts: {
      new: (count: number) => `${grouped(count)} new`,
      changed: (count: number) => `${grouped(count)} changed`,
      gone: (count: number) => `${grouped(count)} gone`,
    },
    table: 'New and changed orders',
    gone: 'Orders that are gone',
    noAmount: 'no amount',
    notGone: 'The list may be incomplete, so no order counts as gone.',
  },
  change: { new: 'new', changed: 'changed' },
  about: {
    title: 'About this report',
    service: 'service',
    profile: 'profile',
    environment: 'environment',
    filter: 'filter',
  },
  columns: {
    status: 'status',
    currency: 'currency',
    month: 'month',
    orders: 'orders',
    amount: 'amount',
    code: 'code',
    name: 'title',
    createdAt: 'created',
    change: 'change',
    previousStatus: 'status before',
    previousAmount: 'amount before',
  },
};

export type OrdersReportMessages = typeof ordersReportMessages;
