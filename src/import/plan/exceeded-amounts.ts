import { isSameValue } from '../../core/service/same-value.ts';
import { compareDecimals, plainDecimal, sumDecimals } from '../../core/text/decimal.ts';
import type { Finding } from '../../messages/findings.ts';
import type { Journal } from '../ledger/journal.ts';
import type { ImportTarget } from '../targets/import-target.ts';

const NAMED = 3;

/** Rows that exist in the service, may exist, or will be created by this import. */
const COUNTED = ['pending', 'existing', 'unconfirmed'] as const;

/**
 * Finds e.g. orders whose amount is less than the sum of their rows in the same currency. Rejected rows and
 * duplicates are not sent, so they do not count.
 */
export function exceededAmounts(
  journal: Journal,
  { against, references = [] }: Pick<ImportTarget, 'against' | 'references'>,
): Finding[] {
  const objects = journal.get('mayExceed') ?? [];
  const into = references.find(({ field }) => field === against?.reference)?.into;
  if (against === undefined || into === undefined || objects.length === 0) return [];
  const sums = new Map(objects.map(({ id, currency }) => [id, { sum: '0', currency }]));
  for (const state of COUNTED) {
    for (const batch of journal.planned.bodiesIn(state)) {
      for (const { body } of batch) add(sums, JSON.parse(body), into, against);
    }
  }
  const exceeded = objects.filter(
    ({ id, amount }) => compareDecimals(sums.get(id)!.sum, amount) > 0,
  );
  if (exceeded.length === 0) return [];
  const samples = exceeded.slice(0, NAMED).map(({ id, name, amount, currency = '' }) => ({
    value: `${name}: ${sums.get(id)!.sum} > ${plainDecimal(amount)} ${currency}`.trimEnd(),
  }));
  const { amount: field } = against;
  return [{ kind: 'exceeded_amounts', field, count: exceeded.length, samples }];
}

interface Sum {
  sum: string;
  readonly currency: string | undefined;
}

function add(
  sums: Map<string, Sum>,
  body: Readonly<Record<string, unknown>>,
  into: string,
  { amount, currency }: NonNullable<ImportTarget['against']>,
): void {
  const of = sums.get(String(body[into]));
  const value = body[amount];
  if (of === undefined || typeof value !== 'number') return;
  const own = body[currency] ?? of.currency;
  if (of.currency !== undefined && !isSameValue(own, of.currency, 'word')) return;
  of.sum = sumDecimals([of.sum, String(value)]);
}
