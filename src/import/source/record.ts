import { ProcError } from '../../core/errors.ts';
import type { Problem, ProblemPlace } from '../../core/row-problem.ts';

/** Of a body that several rows make: by group and line, the row that has the values of the line. */
export type LinePlaces = readonly (readonly Pick<ProblemPlace, 'row' | 'line'>[])[];

export interface SourceRecord {
  /** 1 for the first record; the header does not count. In a JSON array, the number of the element. */
  readonly row: number;
  /**
   * Line of the file, or row of the sheet, on which the record starts, from 1. Undefined on the first
   * line of a JSON document.
   */
  readonly line: number | undefined;
  /** The values by column or field name; undefined if the record cannot be read. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
  readonly problem?: Problem | undefined;
}

/** How the file was read: enough to write a file like it. */
export interface SourceFormat {
  readonly kind: 'json' | 'ndjson' | 'csv';
  readonly bom: boolean;
  /** CSV only, e.g. `;`. */
  readonly delimiter?: string | undefined;
  /** CSV only: `\r\n`, `\n` or `\r`. */
  readonly newline?: string | undefined;
  /** The sheet, if the source is a workbook. */
  readonly workbook?: { readonly sheet: string } | undefined;
}

/** How a file is to be read. The names are those of the flags. */
export interface SourceLayout {
  readonly path?: string | undefined;
  readonly sheet?: string | undefined;
  readonly headerRow?: number | undefined;
  readonly delimiter?: string | undefined;
  readonly encoding?: string | undefined;
}

export interface Source {
  /** As the user named it: `catalog.csv`, or `standard input`. */
  readonly name: string;
  /** The file that is read: the user's own, or a copy of standard input or of a pipe. */
  readonly path: string;
  readonly bytes: number;
  readonly format: SourceFormat;
  /** The header, or the keys of the first JSON records, in order. */
  readonly columns: readonly string[];
  /** The first records. */
  readonly head: readonly SourceRecord[];
  /** Workbooks only: by column, why it must not be mapped, e.g. `its cell C4 …`. */
  readonly unreadable?: ReadonlyMap<string, string> | undefined;
  /** Workbooks only: the other visible sheets. */
  readonly otherSheets?: readonly string[] | undefined;
  /** Starts with the first record at each call. Memory stays bounded, except for a workbook. */
  records(): AsyncIterable<readonly SourceRecord[]>;
}

/** A record on its way through the steps that make a row of it. Only a row without a problem is sent. */
export interface MappedRow {
  readonly row: number;
  readonly line: number | undefined;
  /** The source's own fields. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  /**
   * For the file of rejected rows: the values under the names of the target's fields, as they are sent, or as they stand
   * in the source if they cannot be read. A list if several rows make one body.
   */
  readonly own?:
    | Readonly<Record<string, unknown>>
    | readonly Readonly<Record<string, unknown>>[]
    | undefined;
  /** A repeated header, which belongs to no group. */
  readonly isNotData?: true;
  /** The record could not be read, so it has no fields. */
  readonly isUnread?: true;
  readonly lines?: LinePlaces | undefined;
  /** The request body; undefined if there is a problem. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly problem?: Problem | undefined;
}

/** Columns that proc adds to a file of rejected rows, and ignores when it is imported. */
export const ADDED_COLUMNS = ['_row', '_reason'] as const;

/** In a file of rejected flat rows: the value that groups them. */
export const GROUP_COLUMN = '_group';

export function isAddedColumn(column: string): boolean {
  return column === GROUP_COLUMN || (ADDED_COLUMNS as readonly string[]).includes(column);
}

/**
 * A column without a header is named `column 3`, by its position. Two columns `Name` become `Name
 * (column 2)` and `Name (column 5)`.
 */
export function namedColumns(headers: readonly string[]): string[] {
  const titles = headers.map((header, index) => header.trim() || `column ${index + 1}`);
  return titles.map((title, index) =>
    titles.indexOf(title) === titles.lastIndexOf(title) ? title : `${title} (column ${index + 1})`,
  );
}

/** The header of a column that {@link namedColumns} has named. */
export function headerOf(column: string): string {
  return column.replace(/ \(column \d+\)$/, '');
}

/** Longer records are not read, so memory stays bounded. */
export const MOST_CHARACTERS = 1 << 20;

export const TOO_LONG = 'is longer than 1 MiB';

type More = { readonly details?: object; readonly cause?: unknown };

/** A file that cannot be imported as it is. Exit code 2: nothing was sent. */
export function badFile(message: string, hint?: string, more?: More): ProcError {
  return new ProcError('invalid_input', message, { hint, ...more });
}

/** A flag that does not fit the file. */
export function badFlag(message: string, hint?: string, more?: More): ProcError {
  return new ProcError('invalid_usage', message, { hint, ...more });
}

const MOST_SHOWN = 200;

/** A record that cannot be read has no fields, so its reason is all that the file of rejected rows has of it. */
export function withText(problem: Problem, raw: string): Problem {
  const text = raw.trim();
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
  return { ...problem, text: `${problem.text}; it reads: ${shown}` };
}
