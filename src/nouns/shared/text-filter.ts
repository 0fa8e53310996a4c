import { textOf } from '../../core/numbers.ts';
import type { Column, RowFilter } from '../../core/result.ts';
import { capital } from '../../core/wording.ts';
import { NearRows } from '../../listing/near-rows.ts';
import { valueAt } from '../../output/cell.ts';

interface TextView {
  /** Plural name of the rows: `orders`. */
  readonly noun: string;
  readonly columns: readonly Column[];
  /** Must keep a row, too. */
  readonly filter?: RowFilter | undefined;
}

/** Keeps the rows with a text in one of the columns, whatever its case. `none`: what to say if no row has it. */
export function textFilter(
  text: string,
  { noun, columns, filter }: TextView,
): RowFilter & { none(): string } {
  const near = new NearRows(noun);
  const wanted = text.toLowerCase();
  return {
    flags: [JSON.stringify(text), ...(filter?.flags ?? [])],
    fields: filter?.fields ?? [],
    keeps(row) {
      near.add([row]);
      // The other filter counts the rows that it sees.
      if (filter?.keeps(row) === false) return false;
      return columns.some(({ key }) => textOf(valueAt(row, key))?.toLowerCase().includes(wanted));
    },
    end: () => filter?.end(),
    warnings: () => filter?.warnings() ?? [],
    none: () => capital(near.describe(text) ?? `no ${noun}`).concat('.'),
  };
}
