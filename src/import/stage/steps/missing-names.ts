import { rowsIn } from '../../report/words.ts';
import type { MappedRow } from '../../source/record.ts';
import type { RowStep, RowWork } from '../row-step.ts';

/** How many rows the warning lists. */
const NAMED = 10;

/** Warns of rows without a name: the contract does not say whether it is required. */
export const missingNames: RowStep = {
  name: 'missing names',
  begin({ target, mapping }) {
    const field = target.listing?.nameField;
    return field === undefined
      ? undefined
      : new MissingNames(field, mapping.fields[field] !== undefined);
  },
};

class MissingNames implements RowWork {
  readonly #field: string;
  readonly #isMapped: boolean;
  readonly #first: number[] = [];
  #count = 0;

  constructor(field: string, isMapped: boolean) {
    this.#field = field;
    this.#isMapped = isMapped;
  }

  apply(row: MappedRow): MappedRow {
    if (row.body === undefined || row.body[this.#field] !== undefined) return row;
    if (this.#count++ < NAMED) this.#first.push(row.row);
    return row;
  }

  warnings(): string[] {
    if (this.#count === 0) return [];
    const field = this.#field;
    if (!this.#isMapped) {
      const rows =
        this.#count === 1 ? 'the row has none' : `none of the ${this.#count} rows has one`;
      return [`no column is mapped to ${field}: ${rows} (--map ${field}=COLUMN)`];
    }
    const have = rowsIn(this.#count, 'row has', 'rows have');
    const rows = `${this.#first.join(', ')}${this.#count > this.#first.length ? ', …' : ''}`;
    return [`${have} no ${field}: ${this.#count === 1 ? 'row' : 'rows'} ${rows}`];
  }
}
