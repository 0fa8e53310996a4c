import type { Block, Column, Row } from '../core/result.ts';
import type { Paint } from '../terminal/paint.ts';

export interface TableOptions {
  /** In columns of the terminal; undefined for no limit. */
  readonly width: number | undefined;
  readonly paint: Paint;
  /** The word for `yes` in the fields of a record. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch, to tell how long ago something was. */
  readonly now?: number;
  readonly totals?: readonly Row[];
}

export interface Table {
  /** Lines, each with a line break. Empty if there is nothing to show. */
  readonly text: string;
  readonly hidden: readonly string[];
}

export interface TableFormatter {
  rows(columns: readonly Column[], rows: readonly Row[], options: TableOptions): Table;
  record(columns: readonly Column[], value: Row, options: TableOptions): Table;
  blocks(all: readonly Block[], options: TableOptions): string;
}

/** A table that is written batch by batch: CSV, TSV or a sheet of a workbook. */
export interface Grid {
  /** Must be called first. Fields are paths. */
  header(fields: readonly string[]): Promise<void>;
  rows(rows: readonly Row[]): Promise<void>;
  end(): Promise<void>;
}

export interface GridOptions {
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly sheet: string;
  readonly columns: readonly Column[];
}

/**
 * The values of the fields that a filter names. Notices show the values if the filter matches no
 * row.
 */
export interface ValueTally {
  add(row: Row): void;
  sentences(): readonly string[];
}

export interface Query {
  /** Throws `invalid_usage` for a type mismatch. */
  (data: unknown): unknown;
  /**
   * The names of fields that the expression reads. Undefined if it makes objects whose fields only the data
   * can tell.
   */
  readonly reads: ReadonlySet<string> | undefined;
}

/** Imported dynamically, so that a command loads only what its output needs. */
export interface FormatLoader {
  table(): Promise<TableFormatter>;
  workbook(): Promise<(options: GridOptions) => Grid>;
  /** Throws `invalid_usage` with the position of a syntax error. */
  query(): Promise<(expression: string) => Query>;
  values(): Promise<(fields: readonly string[]) => ValueTally>;
}
