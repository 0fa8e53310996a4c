import type { ExitCode, ProcError } from './errors.ts';

/** A row or record as received: unknown fields are kept and shown. */
export type Row = Readonly<Record<string, unknown>>;

/** A command to run next. Results have them as `next`, the most urgent first; tables show only the commands. */
export interface Next {
  readonly command: string;
  /** A sentence without its full stop. */
  readonly why: string;
}

/** How a table shows a field. JSON has every field, also those without a column. */
export interface Column {
  readonly key: string;
  readonly header: string;
  /**
   * `number`, `count` and `amount` align right and are never shortened. `count` has separators of
   * thousands. `amount` adds the row's `currency`. `date` shows a time to the minute.
   */
  readonly kind?: 'text' | 'number' | 'count' | 'amount' | 'date';
  /**
   * On a narrow terminal, columns with a low priority are shortened first, then hidden. Default 1.
   * 0: shown only if a row has a value.
   */
  readonly priority?: number;
}

/** A part of a page for a person. Its parts come in this order; a blank line separates two blocks. */
export interface Block {
  readonly heading?: string;
  /** Drawn as a record: a line for each column. */
  readonly record?: { readonly columns: readonly Column[]; readonly value: Row };
  readonly lines?: readonly string[];
  readonly table?: { readonly columns: readonly Column[]; readonly rows: readonly Row[] };
  readonly notes?: readonly string[];
}

interface Ending {
  /** The error to show after the output. A function is called after the last row. */
  readonly failure?: ProcError | (() => ProcError | undefined) | undefined;
  /**
   * A page of the list that this result is made from could not be read. `failure` says so. The output stays
   * unfinished: no file, no end of a JSON array, no result of a query.
   */
  readonly isCut?: (() => boolean) | undefined;
  /** The highest exit code of errors already shown, e.g. for one of several ids. */
  readonly reportedExit?: ExitCode;
  /** A line on the terminal has said what the write did, so a table there would only repeat it. */
  readonly isSaid?: boolean;
  /**
   * Moves what the next run starts from, e.g. a snapshot. Called once the output has left the process, or
   * with false if it could not be delivered: then the next run must tell the same again.
   */
  readonly afterDelivery?: (isDelivered: boolean) => void;
}

/** What a handler returns; `src/output` renders it. */
export type Result =
  | RowsResult
  | RecordResult
  | {
      /** Nothing to render: the command had only an effect, or wrote its output itself. */
      readonly kind: 'none';
      readonly exitCode?: ExitCode;
    }
  | TextResult
  | BytesResult;

/** Text for stdout as it is (help, completion scripts), whatever the format. */
export interface TextResult extends Ending {
  readonly kind: 'text';
  /** The pieces are written one by one, so the whole text need not fit in memory. */
  readonly text: string | Iterable<string> | AsyncIterable<string>;
}

/** The response to a raw call, with the secret already masked. It is sanitised when written to a terminal. */
export interface BytesResult {
  readonly kind: 'bytes';
  readonly head?: string | undefined;
  readonly bytes: Uint8Array;
  /** Thrown after the output, because the body of a failed call is what the user asked for. */
  readonly failure?: ProcError | undefined;
}

/** A filter by the command's own flags, such as `--status`. A row must also pass `--where`. */
export interface RowFilter {
  readonly flags: readonly string[];
  readonly fields: readonly string[];
  keeps(row: Row): boolean;
  /** Called after the last row. @throws ProcError `invalid_usage` if no row has the filtered field */
  end(): void;
  /** Messages about rows that the filter could not judge. */
  warnings(): readonly string[];
}

export interface Sort {
  readonly field: string;
  readonly dir: 'asc' | 'desc';
}

export interface RowsResult extends Ending {
  readonly kind: 'rows';
  /** The records of the service that the rows are: `orders`. */
  readonly noun?: string;
  readonly filter?: RowFilter | undefined;
  /** The most rows to print without `--limit`, after all filters. proc reads no further than needed. */
  readonly limit?: number | undefined;
  /** The fields that the rows may have; other fields may follow. The first columns of a CSV or workbook. */
  readonly fields?: readonly string[];
  /** How proc sorts the rows without `--sort`. Default: as they come. */
  readonly sort?: Sort | undefined;
  /** The service has sorted the rows as `--sort` says. */
  readonly isSorted?: boolean;
  /** Empty: the fields of the rows. */
  readonly columns: readonly Column[];
  /** Rows in batches (one per page), or an array if all are known. */
  readonly rows: readonly Row[] | AsyncIterable<readonly Row[]>;
  /** Field that `-o id` prints. Default `id`. */
  readonly idField?: string;
  /** Said on stderr under an empty table; a function after the last row if none matched, in every format. */
  readonly empty: string | (() => string);
  /** A note on stderr after a table on a terminal. */
  readonly footnote?: (count: number) => string | undefined;
}

interface PageStyle {
  /** Undefined if the output is no terminal. */
  readonly width: number | undefined;
  readonly bold: (text: string) => string;
}

export interface RecordResult extends Ending {
  readonly kind: 'record';
  /** Fields that a table shows first. The other fields follow. */
  readonly columns?: readonly Column[];
  /** What `-o table` shows instead of the fields, unless `--fields` or `--query` select some. */
  readonly page?: ((style: PageStyle) => string | Promise<readonly Block[]>) | undefined;
  /** A table shows only `columns`, because the person has just seen the rest. */
  readonly isBrief?: boolean;
  readonly value: Row;
  /** The fields that a record of the service may have, if the command only read it. */
  readonly fields?: readonly string[] | undefined;
  readonly idField?: string;
}
