import { momentText } from '../../core/moment.ts';
import { compareDecimals, grouped, numberText, sumDecimals } from '../../core/numbers.ts';
import type { Row } from '../../core/result.ts';
import type { Target } from '../../core/service.ts';
import { amountText, decimalOf } from '../../output/cell.ts';
import { barChart, heading, pageEnd, pageHead, paragraph, table } from '../../output/html-page.ts';
import { dimensionOf, OrderTotals, UNKNOWN } from './order-totals.ts';

const MOST_LARGE = 10;
const MOST_MONTHS = 36;

/** What the page of `orders summary --out FILE.html` says about orders. */
export class OrdersPage {
  readonly #months = new OrderTotals(['month', 'currency']);
  readonly #largest = new Map<string, { readonly order: Row; readonly amount: string }[]>();

  add(order: Row): void {
    this.#months.add(order);
    const amount = decimalOf(order.amount);
    if (amount === undefined) return;
    const currency = dimensionOf(order, 'currency');
    const large = [...(this.#largest.get(currency) ?? []), { order, amount }];
    large.sort((a, b) => compareDecimals(b.amount, a.amount));
    this.#largest.set(currency, large.slice(0, MOST_LARGE));
  }

  /** @param filter the flags that chose the orders; empty for all of them */
  *page(
    totals: readonly Row[],
    { baseUrl, profile, environment }: Pick<Target, 'baseUrl' | 'profile' | 'environment'>,
    { filter, isWhole, now }: { filter: string; isWhole: boolean; now: number },
  ): Generator<string> {
    const place = [profile, environment, baseUrl, momentText(now), filter || undefined];
    const whole = isWhole ? '' : ' The list may be incomplete: proc could not read it to its end.';
    const months = this.#months.rows();
    const count = (rows: readonly Row[], key: string) =>
      rows.reduce((sum, row) => sum + Number(row[key]), 0);
    const orders = count(months, 'orders');
    const lead = `${grouped(orders)} ${orders === 1 ? 'order' : 'orders'}.${whole}`;
    yield pageHead({ title: 'Orders', place, lead });
    yield heading('Totals');
    const keys = Object.keys(totals[0] ?? {}).filter(
      (key) => !/^(amount|withoutAmount)$/.test(key),
    );
    yield* table(
      [...keys.map((key) => (key === 'orders' ? '>orders' : key)), '>amount'],
      totals.map((row) => [...keys.map((key) => String(row[key])), amountIn(row)]),
    );
    const byCurrency = Map.groupBy(months, ({ currency }) => String(currency));
    for (const [currency, rows] of byCurrency) yield* monthly(currency, rows);
    for (const [currency, large] of this.#largest) {
      yield heading(`Largest orders (${currency})`);
      yield* table(
        ['code', 'title', 'status', 'created', '>amount'],
        large.map(({ order }) => [
          ...['code', 'title', 'status'].map((key) => String(order[key] ?? '')),
          String(order.createdAt ?? '').slice(0, 10),
          amountIn(order),
        ]),
      );
    }
    yield heading('Missing values');
    const undated = months.filter(({ month }) => month === UNKNOWN);
    const without = count(months, 'withoutAmount');
    yield paragraph(
      `${count(undated, 'orders')} orders have no date, ${without} no usable amount.`,
    );
    yield pageEnd(now);
  }
}

function* monthly(currency: string, rows: readonly Row[]): Generator<string> {
  const latest = rows.slice(-MOST_MONTHS);
  const sum = sumDecimals(rows.map(({ amount }) => numberText(amount) ?? '0'));
  yield heading(`Amounts by month (${currency})`);
  yield barChart(
    `Bar chart of the amounts in ${currency} by month; together ${amountText(sum, currency)}`,
    latest.map((row) => ({
      label: String(row.month),
      value: Number(numberText(row.amount) ?? 0),
      text: amountIn(row),
    })),
  );
}

function amountIn({ amount, currency }: Row): string {
  const digits = decimalOf(amount);
  return digits === undefined ? '' : amountText(digits, currency);
}
