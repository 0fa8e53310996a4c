import type { Row } from '../../../core/result.ts';
import { compareDecimals, sumDecimals } from '../../../core/text/decimal.ts';
import { decimalOf } from '../../../output/select/amount.ts';
import type { MappedRow } from '../../source/record.ts';
import type { Facts, ReferredAmount } from '../../store/facts.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { found, type RowStep, type RowWork } from '../row-step.ts';

/**
 * Finds rows in another currency than their order. Also notes orders whose amount the rows together
 * may exceed. The plan adds up the rows again, without duplicates.
 */
export const referredAmounts: RowStep = {
  begin: ({ target: { against }, resolver }) =>
    against === undefined || resolver === undefined ? undefined : new ReferredAmounts(against),
};

class ReferredAmounts implements RowWork {
  readonly #fields: NonNullable<ImportTarget['against']>;
  readonly #totals = new Map<string, { readonly object: ReferredAmount; sum: string }>();

  constructor(fields: NonNullable<ImportTarget['against']>) {
    this.#fields = fields;
  }

  apply(row: MappedRow): MappedRow {
    const object = row.body && row.referred?.get(this.#fields.reference);
    return object === undefined ? row : this.#compared(row, object);
  }

  #compared(mapped: MappedRow, object: Row): MappedRow {
    const { row, line, body } = mapped;
    const field = this.#fields.currency;
    const currency = body?.[field];
    const name = String(object.code ?? object.id);
    if (isOtherCurrency(currency, object.currency)) {
      const value = `${name}: ${currency} ≠ ${object.currency}`;
      return found(mapped, { kind: 'other_currency', field, sample: { value, row, line } });
    }
    const amount = body?.[this.#fields.amount];
    const limit = decimalOf(object.amount);
    // A negative amount may belong to a row that is not sent. So it must not lower this sum.
    if (typeof amount !== 'number' || amount <= 0 || limit === undefined) {
      return mapped;
    }
    const id = String(object.id);
    let total = this.#totals.get(id);
    if (total === undefined) {
      const unit = typeof object.currency === 'string' ? object.currency : undefined;
      total = { object: { id, name, amount: limit, currency: unit }, sum: '0' };
      this.#totals.set(id, total);
    }
    total.sum = sumDecimals([total.sum, String(amount)]);
    return mapped;
  }

  facts(): Partial<Facts> {
    const mayExceed = [...this.#totals.values()]
      .filter(({ sum, object }) => compareDecimals(sum, object.amount) > 0)
      .map(({ object }) => object);
    return mayExceed.length === 0 ? {} : { mayExceed };
  }
}

function isOtherCurrency(a: unknown, b: unknown): boolean {
  return typeof a === 'string' && typeof b === 'string' && a !== b;
}
