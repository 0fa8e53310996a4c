/** The mark before the decimals; the other one then groups digits by thousands. */
export type Decimal = ',' | '.';

/** Where the value of a field comes from. */
export type Rule =
  | { readonly column: string }
  /** Text with `{columns}` in it. */
  | { readonly template: string }
  | { readonly jmespath: string }
  /** The same in every row. */
  | { readonly constant: string }
  /** A field of what the row refers to: `order.currency`. */
  | { readonly from: string };

/**
 * How records become bodies. Plain data: `JSON.stringify` of it is the same for the same mapping, and
 * is what `--save-map` writes and `--map-file` reads.
 */
export interface Mapping {
  /** By target field, in the order of the target. */
  readonly fields: Readonly<Record<string, Rule>>;
  /** Words that stand for an empty cell, sorted. */
  readonly nulls: readonly string[];
  /** How the source writes decimals; undefined where nobody said. */
  readonly decimal?: Decimal | undefined;
}
