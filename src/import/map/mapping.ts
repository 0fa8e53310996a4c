/** The decimal separator; the other character separates thousands. */
export type Decimal = ',' | '.';

export type Rule =
  | {
      readonly column: string;
      /** 3 if the user typed `#3` instead of the name. */
      readonly position?: number;
    }
  /** Text with column names in braces. */
  | { readonly template: string }
  | { readonly jmespath: string }
  | { readonly constant: string }
  /** A field of the object that the row refers to: `order.currency`. */
  | { readonly from: string };

/**
 * How records become bodies. Plain data: equal mappings have equal JSON, which `--save-map` writes
 * and `--map-file` reads.
 */
export interface Mapping {
  /** By field name, in the order of the noun's fields. */
  readonly fields: Readonly<Record<string, Rule>>;
  /** Words that mean an empty cell, sorted. */
  readonly nulls: readonly string[];
  readonly decimal?: Decimal | undefined;
}
