import type { Column, Row, RowFilter } from '../../core/result.ts';
import { capital } from '../../core/text/listed.ts';
import { textOf } from '../../core/text/raw-number.ts';
import { NearRows } from '../../listing/near-rows.ts';
import { valueAt } from '../../output/field-path.ts';

export const TEXT = {
  text: { doc: 'only rows with this text in a column of the table', optional: true },
} as const;

/** Keeps the rows with a text in one of the columns, whatever its case. */
export class TextFilter implements RowFilter {
  readonly flags: readonly string[];
  readonly fields: readonly string[];
  readonly #text: string;
  readonly #columns: readonly Column[];
  readonly #other: RowFilter | undefined;
  readonly #noun: string;
  readonly #near: NearRows;

  /**
   * @param view.noun plural name of the rows: `orders`
   * @param view.filter must keep a row, too
   */
  constructor(
    text: string,
    view: { noun: string; columns: readonly Column[]; filter?: RowFilter | undefined },
  ) {
    this.#text = text;
    this.#columns = view.columns;
    this.#other = view.filter;
    this.#noun = view.noun;
    this.#near = new NearRows(view.noun);
    this.flags = [JSON.stringify(text), ...(view.filter?.flags ?? [])];
    this.fields = view.filter?.fields ?? [];
  }

  keeps(row: Row): boolean {
    this.#near.add([row]);
    // The other filter counts the rows that it sees.
    if (this.#other?.keeps(row) === false) return false;
    const wanted = this.#text.toLowerCase();
    return this.#columns.some(({ key }) => {
      return textOf(valueAt(row, key))?.toLowerCase().includes(wanted) === true;
    });
  }

  end(): void {
    this.#other?.end();
  }

  warnings(): readonly string[] {
    return this.#other?.warnings() ?? [];
  }

  /** For a list without such a row: the rows that are nearest. */
  none(): string {
    const near = this.#near.describe(this.#text);
    return near === undefined ? `No ${this.#noun}.` : `${capital(near)}.`;
  }
}
