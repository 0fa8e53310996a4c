import { compareDecimals, sumDecimals } from '../../../core/text/decimal.ts';
import { decimalOf } from '../../../output/select/amount.ts';
import type { ReferredAmount } from '../../store/facts.ts';
import { found, type RowStep } from '../row-step.ts';

/**
 * Finds rows in another currency than their order. Also notes orders whose amount the rows together
 * may exceed. The plan adds up the rows again, without duplicates.
 */
export const referredAmounts: RowStep = {
  begin({ target: { against }, resolver }) {
    if (against === undefined || resolver === undefined) return undefined;
    const totals = new Map<string, { readonly object: ReferredAmount; sum: string }>();
    return {
      apply(mapped) {
        const { row, line, body, referred } = mapped;
        const object = body && referred?.get(against.reference);
        if (object === undefined) return mapped;
        const field = against.currency;
        const currency = body?.[field];
        const name = String(object.code ?? object.id);
        const unit = typeof object.currency === 'string' ? object.currency : undefined;
        if (typeof currency === 'string' && unit !== undefined && currency !== unit) {
          const value = `${name}: ${currency} ≠ ${unit}`;
          return found(mapped, { kind: 'other_currency', field, sample: { value, row, line } });
        }
        const amount = body?.[against.amount];
        const limit = decimalOf(object.amount);
        // A negative amount may belong to a row that is not sent. So it must not lower this sum.
        if (typeof amount !== 'number' || amount <= 0 || limit === undefined) return mapped;
        const id = String(object.id);
        const before = totals.get(id)?.sum ?? '0';
        const sum = sumDecimals([before, String(amount)]);
        totals.set(id, { object: { id, name, amount: limit, currency: unit }, sum });
        return mapped;
      },
      facts() {
        const mayExceed = [...totals.values()]
          .filter(({ sum, object }) => compareDecimals(sum, object.amount) > 0)
          .map(({ object }) => object);
        return mayExceed.length === 0 ? {} : { mayExceed };
      },
    };
  },
};
