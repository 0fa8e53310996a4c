import type { Row } from '../../../core/result.ts';
import { sumDecimals } from '../../../core/text/decimal.ts';
import { rowsIn } from '../../report/words.ts';
import type { MappedRow } from '../../source/record.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import type { RowStep, RowWork } from '../row-step.ts';

const NAMED = 3;

interface Total {
  readonly order: Row;
  sum: string;
}

/**
 * Compares rows with the objects that they refer to, e.g. orders. Warns of different currencies,
 * and of rows that add up to more than the object's amount. Both may be intended.
 */
export const referredAmounts: RowStep = {
  name: 'referred amounts',
  begin: ({ target: { against }, resolver }) =>
    against === undefined || resolver === undefined ? undefined : new ReferredAmounts(against),
};

class ReferredAmounts implements RowWork {
  readonly #fields: NonNullable<ImportTarget['against']>;
  readonly #totals = new Map<string, Total>();
  readonly #currencies: string[] = [];
  #otherCurrency = 0;

  constructor(fields: NonNullable<ImportTarget['against']>) {
    this.#fields = fields;
  }

  apply(row: MappedRow): MappedRow {
    const order = row.body && row.referred?.get(this.#fields.reference);
    if (order !== undefined) this.#add(row, order);
    return row;
  }

  #add({ row, body }: MappedRow, order: Row): void {
    const { amount: amountField, currency: currencyField, reference } = this.#fields;
    const currency = body?.[currencyField];
    if (typeof currency === 'string' && typeof order.currency === 'string') {
      if (currency !== order.currency) {
        this.#otherCurrency++;
        if (this.#currencies.length < NAMED) {
          this.#currencies.push(
            `row ${row} is in ${currency}, but ${reference} ${nameOf(order)} is in ${order.currency}`,
          );
        }
        return;
      }
    }
    const amount = body?.[amountField];
    if (typeof amount !== 'number' || typeof order.id !== 'string') return;
    const total = this.#totals.get(order.id) ?? { order, sum: '0' };
    total.sum = sumDecimals([total.sum, String(amount)]);
    this.#totals.set(order.id, total);
  }

  warnings(): string[] {
    const { amount, currency, reference } = this.#fields;
    const beyond = [...this.#totals.values()].filter(
      ({ sum, order }) =>
        Number.isFinite(Number(order.amount)) && Number(sum) > Number(order.amount),
    );
    const totals = beyond
      .slice(0, NAMED)
      .map(({ sum, order }) =>
        `${reference} ${nameOf(order)}: ${sum} of ${order.amount} ${order.currency ?? ''}`.trimEnd(),
      );
    return [
      ...(this.#otherCurrency === 0
        ? []
        : [
            warningText(
              `${rowsIn(this.#otherCurrency, 'row has', 'rows have')} a ${currency} different from the ${reference}`,
              this.#currencies,
              this.#otherCurrency,
            ),
          ]),
      ...(beyond.length === 0
        ? []
        : [
            warningText(
              `for ${rowsIn(beyond.length, reference)}, the rows of this file add up to more than the ${amount} of the ${reference}`,
              totals,
              beyond.length,
            ),
          ]),
    ];
  }
}

function warningText(what: string, shown: readonly string[], count: number): string {
  return `${what}: ${shown.join('; ')}${count > shown.length ? '; …' : ''}`;
}

function nameOf({ code, id }: Row): string {
  return String(code ?? id);
}
