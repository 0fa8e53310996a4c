import type { Row } from '../../core/result.ts';
import type { Columns } from './columns.ts';
import type { Fits } from './likely-header.ts';
import type { WorkbookSigns } from './xlsx/signs.ts';

/** What is wrong with a row, for the person who will correct it. */
export interface RowProblem {
  /**
   * The field (of the target) or column (of the source); undefined if the problem is the row as a
   * whole.
   */
  readonly field?: string | undefined;
  /** What was found and what is expected. */
  readonly message: string;
  /**
   * The problem is the file, not this row: the file ends too early, or has more text after its end.
   * The rows before it are complete and none follow. The record with this problem is not a row.
   */
  readonly ofFile?: boolean | undefined;
}

/** One record of a source, before its columns are mapped. */
export interface SourceRecord {
  /** 1 for the first record; the header does not count. */
  readonly row: number;
  /** Line of the file on which the record starts, from 1; undefined in JSON without line breaks. */
  readonly line: number | undefined;
  /** Its columns in order; undefined if the record cannot be read. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  /** Why the record cannot be read. The rows after it are not affected. */
  readonly problem?: RowProblem | undefined;
  /** If the record cannot be read: its text and the cells that were recognised, shortened. */
  readonly salvaged?: Readonly<Record<string, string>> | undefined;
}

/**
 * The detected format: enough to read the source again in the same way, or to write a file like it.
 */
export interface SourceFormat {
  readonly kind: 'json' | 'ndjson' | 'csv';
  readonly gzip: boolean;
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
  readonly bom: boolean;
  /** CSV only: `,` `;` tab or `|`. */
  readonly delimiter?: string | undefined;
  /** CSV only: `\r\n`, `\n` or `\r`. */
  readonly newline?: string | undefined;
  /**
   * The sheet, if the source is a workbook. `isOwn`: proc wrote the workbook, so no cell has a protecting
   * apostrophe.
   */
  readonly workbook?: { readonly sheet: string; readonly isOwn?: boolean } | undefined;
  /** JSON only: keys that lead to the array; empty if the array is the whole document. */
  readonly path?: readonly string[] | undefined;
}

/** Where the records are in a file, as the user said; named like the flags. */
export interface SourceLayout {
  /** JSON: the path of the array. */
  readonly path?: string | undefined;
  /** Workbooks: the sheet. */
  readonly sheet?: string | undefined;
  /** CSV and workbooks: where the header is. */
  readonly headerRow?: number | undefined;
  readonly skipRows?: number | undefined;
}

/** What is known of the columns of a table, besides their names. */
interface Table extends Pick<Columns, 'repeated'> {
  /** How many columns the header has; a workbook may have further columns without a header. */
  readonly width: number;
}

/** A file (or the copy of standard input), read as a stream of records. */
export interface Source {
  /** As the user named it: `catalog.csv`, or `standard input`. */
  readonly name: string;
  /** The file that is read: the user's own, or a copy of it. */
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 of the bytes, in hexadecimal. Known before the first record. */
  readonly hash: string;
  readonly format: SourceFormat;
  /** The CSV header, or the keys of the first JSON records, in order. */
  readonly columns: readonly string[];
  /** Where the records are, as flags or a saved map say; only what applies to this format. */
  readonly layout?: SourceLayout | undefined;
  /** Finds where else in the file the records may be, if the columns do not fit. */
  readonly elsewhere?: (fits: Fits) => Promise<SourceLayout | undefined>;
  /** CSV and workbooks only. */
  readonly table?: Table | undefined;
  readonly head: readonly SourceRecord[];
  /** The workbook from which the file at `path` was made. */
  readonly original?: string | undefined;
  /** What that workbook shows or hides. */
  readonly signs?: WorkbookSigns | undefined;
  /** How many cells had a protecting apostrophe removed, in the latest reading of the records. */
  readonly unguarded?: (() => number) | undefined;
  /** All records from the first, in batches. Memory stays bounded for any content. */
  records(): AsyncIterable<readonly SourceRecord[]>;
}

/** A record on its way through the steps that make a row of it. Only a row without a problem is sent. */
export interface MappedRow {
  readonly row: number;
  readonly line: number | undefined;
  /**
   * The source's own fields, for the file of rejected rows; a list if several rows make one body.
   * If the record cannot be read, what could be recovered of it.
   */
  readonly fields:
    | Readonly<Record<string, unknown>>
    | readonly Readonly<Record<string, unknown>>[]
    | undefined;
  /** The row of an earlier run that this row repairs. */
  readonly repairs?: number | undefined;
  /** `--where` excludes the row. It has no body, but no problem either. */
  readonly isFiltered?: true;
  /** The record could not be read: its fields are what could be recovered. */
  readonly isUnread?: true;
  /** The objects that its references name, by field. */
  readonly referred?: ReadonlyMap<string, Row> | undefined;
  /** How the ledger recognises the row: by its code, or else its name. */
  readonly code?: string | null;
  readonly name?: string | null;
  /** A hash of the request. It tells whether the same request was sent before. */
  readonly fingerprint?: string | undefined;
  /** The request body; undefined if there is a problem or the row is filtered. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly problem?: RowProblem | undefined;
}
