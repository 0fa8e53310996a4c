import type { Problem } from '../../core/problem/row-problem.ts';
import type { Columns } from './header-place.ts';

/**
 * Where the values of a record stand: the shape of the record, with a text in place of each value. The text is its
 * line; or line and row, e.g. `6,5`, in place of each line of a body that several rows make.
 */
export type Places = string | readonly Places[] | { readonly [name: string]: Places };

export interface SourceRecord {
  /** 1 for the first record; the header does not count. */
  readonly row: number;
  /**
   * Line of the file on which the record starts, from 1. Undefined on the first line of a JSON
   * document.
   */
  readonly line: number | undefined;
  /** The values by column or field name; undefined if the record cannot be read. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  readonly problem?: Problem | undefined;
  /**
   * The file is the problem, e.g. it ends too early. The record with this problem is not a row, and
   * no rows follow.
   */
  readonly isFileProblem?: true | undefined;
  /** JSON only: the lines of its values, if the record has several lines. */
  readonly lines?: (() => Places) | undefined;
}

/**
 * The detected format: enough to read the source again in the same way, or to write a file like it.
 */
export interface SourceFormat {
  readonly kind: 'json' | 'ndjson' | 'csv';
  readonly gzip: boolean;
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
  readonly bom: boolean;
  /** CSV only, e.g. `;`. */
  readonly delimiter?: string | undefined;
  /** CSV only: `\r\n`, `\n` or `\r`. */
  readonly newline?: string | undefined;
  /**
   * The sheet, if the source is a workbook. `isOwn`: proc wrote it, so no cell has a protecting
   * apostrophe.
   */
  readonly workbook?: { readonly sheet: string; readonly isOwn?: boolean } | undefined;
  /**
   * JSON only: keys that lead to the array; empty if the array is the whole document. Undefined if
   * the document is one record.
   */
  readonly path?: readonly string[] | undefined;
}

/** Where the records are in a file. The names are those of the flags. */
export interface SourceLayout {
  readonly path?: string | undefined;
  readonly sheet?: string | undefined;
  readonly headerRow?: number | undefined;
}

interface Table extends Pick<Columns, 'repeated'> {
  /** How many columns the header has; a workbook may have further columns without a header. */
  readonly width: number;
}

export interface Source {
  /** As the user named it: `catalog.csv`, or `standard input`. */
  readonly name: string;
  /**
   * The file that is read: the user's own, a copy of standard input or a pipe, or a temporary file
   * with the rows of a workbook.
   */
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 of the file that the user imports, in hexadecimal. */
  readonly hash: string;
  readonly format: SourceFormat;
  /** The CSV header, or the keys of the first JSON records, in order. */
  readonly columns: readonly string[];
  /** From the flags or a saved map; only what applies to this format. */
  readonly layout?: SourceLayout | undefined;
  /** CSV and workbooks only. */
  readonly table?: Table | undefined;
  readonly head: readonly SourceRecord[];
  /** The workbook from which the file at `path` was made. */
  readonly original?: string | undefined;
  /** Workbooks only: by column, the first cell with a formula whose result is not stored. */
  readonly unsaved?: ReadonlyMap<string, string> | undefined;
  /** Workbooks only: the other visible sheets. */
  readonly otherSheets?: readonly string[] | undefined;
  /** How many protecting apostrophes the latest reading of the records removed. */
  readonly unguarded?: (() => number) | undefined;
  /** Starts with the first record at each call. Memory stays bounded for any content. */
  records(): AsyncIterable<readonly SourceRecord[]>;
}

/** A record on its way through the steps that make a row of it. Only a row without a problem is sent. */
export interface MappedRow {
  readonly row: number;
  readonly line: number | undefined;
  /**
   * For the file of rejected rows: the source's own fields. A list if several rows make one body.
   */
  readonly fields:
    | Readonly<Record<string, unknown>>
    | readonly Readonly<Record<string, unknown>>[]
    | undefined;
  /** A repeated header, which belongs to no group. */
  readonly isNotData?: true;
  /** The record could not be read, so it has no fields. */
  readonly isUnread?: true;
  /** See `DraftRow`. */
  readonly key?: string | null;
  readonly digest?: string;
  /** See `SourceRecord.lines`. */
  readonly lines?: (() => Places) | undefined;
  /** Of a body with several lines: where its values come from. */
  readonly places?: Places | undefined;
  /** The request body; undefined if there is a problem. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly problem?: Problem | undefined;
  /** See `SourceRecord.isFileProblem`. */
  readonly isFileProblem?: true | undefined;
}

/** Columns that proc adds to a file of rejected rows, and ignores when it is imported. */
export const ADDED_COLUMNS = ['_row', '_reason'] as const;

export function isAddedColumn(column: string): boolean {
  return (ADDED_COLUMNS as readonly string[]).includes(column);
}
