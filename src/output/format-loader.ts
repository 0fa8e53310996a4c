import type { Column, Row } from '../core/result.ts';
import type { Paint } from '../terminal/paint.ts';

export interface TableOptions {
  /** Columns of the terminal; undefined: as wide as it needs, nothing truncated. */
  readonly width: number | undefined;
  readonly paint: Paint;
}

export interface Table {
  /** Lines, the last one ended too. Empty where there is nothing. */
  readonly text: string;
  /** Headers of the columns for which there was no room at all. */
  readonly hidden: readonly string[];
}

export interface TableFormatter {
  rows(columns: readonly Column[], rows: readonly Row[], options: TableOptions): Table;
  /** A list of fields and values; long values wrap. */
  record(columns: readonly Column[], value: Row, options: TableOptions): Table;
}

/** A JMESPath expression, ready to be applied. Throws `invalid_usage` where types do not fit. */
export type Query = (data: unknown) => unknown;

/**
 * What renders with a library. `cli/context.ts` implements it with dynamic imports, so that a
 * command loads only what its format needs.
 */
export interface FormatLoader {
  table(): Promise<TableFormatter>;
  yaml(): Promise<(value: unknown) => string>;
  /** Throws `invalid_usage` with the position of a syntax error. */
  query(): Promise<(expression: string) => Query>;
}
