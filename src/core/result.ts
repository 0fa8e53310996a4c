import type { ReportDocument } from './document/document.ts';
import type { ProcError } from './errors.ts';
import type { ExitCode } from './exit-codes.ts';

/** A row or record as received: unknown fields are kept and shown. */
export type Row = Readonly<Record<string, unknown>>;

/** How a table shows a field. All other formats (json, ndjson, csv) show the whole row. */
export interface Column {
  readonly key: string;
  readonly header: string;
  /**
   * `number` aligns right; `count` too, with separators of thousands; `amount` too, with the currency taken
   * from the row's `currency`; `bar` draws the number as a bar on a terminal, against the largest in the
   * same currency. `date` is a time, on a terminal shown as how long ago it was; `status` and `environment`
   * are coloured by what they mean.
   */
  readonly kind?:
    | 'text'
    | 'number'
    | 'count'
    | 'amount'
    | 'bar'
    | 'date'
    | 'status'
    | 'environment';
  /**
   * On a narrow terminal, columns with a low priority are shortened first, then left out. Default 1. A column
   * of priority 0 is shown only if there is room; one of priority 4 or more is never shortened.
   */
  readonly priority?: number;
}

/** For a command that has output and has failed nevertheless. */
interface Ending {
  /** The one error, shown after the output. A function is called once all rows are consumed. */
  readonly failure?: ProcError | (() => ProcError | undefined) | undefined;
  /** The highest exit code of errors already shown, e.g. for one of several ids. */
  readonly reportedExit?: ExitCode;
}

/** For a command whose output people also mail or print. */
interface Reported {
  /**
   * The same output as a document, for `--out report.html`, `.md` and `.xlsx`. It is made only if such a file
   * is written.
   */
  readonly document?: (() => Promise<ReportDocument>) | undefined;
}

/** What a handler returns. Handlers never print data; `src/output` renders. */
export type Result =
  | RowsResult
  | RecordResult
  | {
      /** Nothing to render: the command had only an effect, or wrote its output itself. */
      readonly kind: 'none';
      /** The exit code of a program that it ran. */
      readonly exitCode?: ExitCode;
    }
  | TextResult
  | BytesResult
  | FramesResult;

/** Text for stdout as it is (help, completion scripts), whatever the format. */
export interface TextResult extends Ending {
  readonly kind: 'text';
  /** Pieces are written one after the other, for text that need not fit in memory. */
  readonly text: string | Iterable<string>;
}

/** The same list again and again (`--watch`), each time as a complete result. */
export interface FramesResult {
  readonly kind: 'frames';
  /** @param left aborted when nobody reads the output any more */
  frames(left: AbortSignal): AsyncIterable<Frame>;
}

/** One reading of the list. */
export interface Frame {
  /** The line above a table on a terminal. */
  readonly title: string;
  readonly rows: RowsResult;
}

/** The answer of a raw call: byte for byte to a pipe or file, sanitised for a terminal. */
export interface BytesResult {
  readonly kind: 'bytes';
  /** Lines to print before the answer. */
  readonly head?: string | undefined;
  readonly bytes: Uint8Array;
  /** Thrown after the output: the body of a failed call is still what the user asked for. */
  readonly failure?: ProcError | undefined;
}

/** A filter of the command's own flags, such as `--status`. It is applied together with `--where`. */
export interface RowFilter {
  /** The given flags, as notices name them. */
  readonly flags: readonly string[];
  readonly fields: readonly string[];
  keeps(row: Row): boolean;
  /**
   * Called after the last row.
   *
   * @throws ProcError `invalid_usage` if no row has what it filters by
   */
  end(): void;
  /** About rows that it could not judge. */
  warnings(): readonly string[];
}

export interface RowsResult extends Ending, Reported {
  readonly kind: 'rows';
  readonly filter?: RowFilter | undefined;
  /** The most rows to print, counted after all filters; proc reads no further than needed. */
  readonly limit?: number | undefined;
  /** The columns of a CSV, whatever the rows hold. Absent: the fields of the rows. */
  readonly fields?: readonly string[];
  /** Absent: the fields of the rows. */
  readonly columns: readonly Column[];
  /** Rows in batches (one per page), or an array if all are known. */
  readonly rows: readonly Row[] | AsyncIterable<readonly Row[]>;
  /**
   * The rows are stored on this machine, so none can fail to arrive: JSON is written while they are
   * read, and need not fit in memory.
   */
  readonly isStored?: boolean;
  /** Rows with totals, which a table shows last if it shows all others. */
  readonly totals?: readonly Row[];
  /** Field that `-o id` prints. Default `id`. */
  readonly idField?: string;
  /** The sentence for stderr if a table has no rows. */
  readonly empty: string;
  /**
   * A note on stderr after a table on a terminal, given the number of rows, e.g. that there may be more.
   */
  readonly footnote?: (count: number) => string | undefined;
}

export interface RecordResult extends Ending, Reported {
  readonly kind: 'record';
  /** Fields that a table shows first; all others follow. */
  readonly columns?: readonly Column[];
  /** What a table calls other fields, by key; all others keep their key. */
  readonly labels?: Readonly<Record<string, string>>;
  /** A table shows only these fields, because the person has just seen the rest in a better form. */
  readonly isBrief?: boolean;
  readonly value: Row;
  /** Fields that a table shows in another form than the other formats, for people. */
  readonly inTable?: (() => Promise<Row>) | undefined;
  /** Field that `-o id` prints. Default `id`. */
  readonly idField?: string;
  /**
   * The command line selects something that only a report has. This error is thrown if the output is not a
   * report.
   */
  readonly onlyInReport?: ProcError | undefined;
}

/** A request as a preview shows it: what would be sent, or a curl line. */
export type ShownRequest = RecordResult | TextResult;
