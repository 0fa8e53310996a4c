import type { Row } from '../../core/result.ts';

/** What is wrong with one row, in words for the person who will mend it. */
export interface RowProblem {
  /** The field (target) or column (source) it is about; undefined where it is the row as a whole. */
  readonly field?: string | undefined;
  /** What was found and what was expected. */
  readonly message: string;
  /**
   * True where it is about the file and not this row: the file ends in the middle, or goes on after
   * its end. The rows before it are good; none follow. The record that carries it is no row.
   */
  readonly ofFile?: boolean | undefined;
}

/** One record of a source, as read: before mapping. */
export interface SourceRecord {
  /** 1 for the first record; the header is no record. */
  readonly row: number;
  /** Line of the file on which the record starts, 1 for the first; undefined where lines say nothing (JSON). */
  readonly line: number | undefined;
  /** Own columns in their order; undefined where the record could not be read. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  /** Why it could not be read. Says nothing about the rows after it. */
  readonly problem?: RowProblem | undefined;
  /** Of one that could not be read: its text, and the cells that could be told apart, shortened. */
  readonly salvaged?: Readonly<Record<string, string>> | undefined;
}

/** How a source was understood; enough to read it again in the same way and to write its like. */
export interface SourceFormat {
  readonly kind: 'json' | 'ndjson' | 'csv';
  readonly gzip: boolean;
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
  readonly bom: boolean;
  /** CSV only: `,` `;` tab or `|`. */
  readonly delimiter?: string | undefined;
  /** CSV only: `\r\n` or `\n`. */
  readonly newline?: string | undefined;
  /** The sheet of a workbook. Its cells have types; its like is written as CSV. */
  readonly workbook?: { readonly sheet: string } | undefined;
  /** JSON only: keys that lead to the array; empty where the array is the whole. */
  readonly path?: readonly string[] | undefined;
}

/** A file (or the spool of standard input) that is read as a stream of records. */
export interface Source {
  /** As the user named it: `catalog.csv`, or `standard input`. */
  readonly name: string;
  /** The file that is read: the user's own, or the spool. */
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 of the bytes, hexadecimal. Known before the first record. */
  readonly hash: string;
  readonly format: SourceFormat;
  /** Columns: the CSV header, or the keys of the first records of JSON, in order. */
  readonly columns: readonly string[];
  /** The first records, for samples. */
  readonly head: readonly SourceRecord[];
  /** The workbook that was made the file which is read. */
  readonly original?: string | undefined;
  /** Cells whose guarding apostrophe was taken off, counted by the latest reading of the records. */
  readonly unguarded?: (() => number) | undefined;
  /** All records, in batches, from the first. Bounded memory whatever the file holds. */
  records(): AsyncIterable<readonly SourceRecord[]>;
}

/** A record as it will be sent. */
export interface MappedRow {
  readonly row: number;
  readonly line: number | undefined;
  /**
   * The source's own fields, for the rejected file; of all rows, where several make one body. What
   * was salvaged, where the record could not be read.
   */
  readonly fields:
    | Readonly<Record<string, unknown>>
    | readonly Readonly<Record<string, unknown>>[]
    | undefined;
  /** The row of an earlier run that this one repairs. */
  readonly mends?: number | undefined;
  /** `--where` leaves it out: it has no body, and nothing is wrong with it. */
  readonly isFiltered?: true;
  /** The record could not be read: its fields are what was salvaged of it. */
  readonly isUnread?: true;
  /** What its references refer to, by field. */
  readonly referred?: ReadonlyMap<string, Row> | undefined;
  /** What the ledger recognises it by: its code, else its name. */
  readonly code?: string | null;
  readonly name?: string | null;
  /** Recognises its body among those that were sent before. */
  readonly fingerprint?: string | undefined;
  /** The body; undefined where there is a problem. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly problem?: RowProblem | undefined;
}
