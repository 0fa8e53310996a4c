import type { DecimalMark } from '../../core/text/decimal.ts';

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
  /** A field of the record that the row refers to, e.g. `order.currency`. */
  | { readonly from: string };

/**
 * How records become bodies. `--save-map` writes a mapping as JSON, and `--map-file` reads the JSON.
 * Equal mappings have equal JSON.
 */
export interface Mapping {
  /** By field name, in the order of the noun's fields. */
  readonly fields: Readonly<Record<string, Rule>>;
  /** Words that mean an empty cell, sorted. */
  readonly nulls: readonly string[];
  readonly decimal?: DecimalMark | undefined;
}
