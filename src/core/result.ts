import type { ProcError } from './errors.ts';
import type { ExitCode } from './exit-codes.ts';

/** A row or record as it came: unknown fields are kept and shown. */
export type Row = Readonly<Record<string, unknown>>;

/** How a field is shown in a table. Everything else (json, ndjson, csv) shows the whole row. */
export interface Column {
  readonly key: string;
  readonly header: string;
  /**
   * `number` aligns right; `amount` too, with the currency taken from the row's `currency`; `bar`
   * draws the number as a bar on a terminal, against the largest in the same currency.
   */
  readonly kind?: 'text' | 'number' | 'amount' | 'bar';
  /** Narrow terminals shrink the columns with the lowest priority first. Default 1. */
  readonly priority?: number;
}

/** How a command ends that has something to show and failed all the same. */
interface Ending {
  /** Said as the one error once the data is out; asked for when the rows were consumed. */
  readonly failure?: ProcError | (() => ProcError | undefined) | undefined;
  /** The highest exit code of errors that were said already: one of several ids. */
  readonly told?: ExitCode;
}

/** What a handler returns. Handlers never print data; `src/output` renders. */
export type Result =
  | RowsResult
  | RecordResult
  | {
      /** Nothing to render: the handler's effect was its purpose, or it streamed by itself. */
      readonly kind: 'none';
      /** That of a program which it ran. */
      readonly exitCode?: ExitCode;
    }
  | TextResult
  | BytesResult
  | FramesResult;

/** Ready text for stdout (help, completion scripts), printed whatever the format. */
export interface TextResult extends Ending {
  readonly kind: 'text';
  readonly text: string;
}

/** The same list again and again (`--watch`), each time as a whole result. */
export interface FramesResult {
  readonly kind: 'frames';
  readonly frames: AsyncIterable<RowsResult>;
}

/** The answer of a raw call: byte for byte to a pipe or file, made safe for a terminal. */
export interface BytesResult {
  readonly kind: 'bytes';
  /** Lines to print before. */
  readonly head?: string | undefined;
  readonly bytes: Uint8Array;
  /** Thrown once the answer is out: the answer of a failed call is still what was asked for. */
  readonly failure?: ProcError | undefined;
}

export interface RowsResult extends Ending {
  readonly kind: 'rows';
  /** Rows that are printed at most, counted after `--where`; no more is read than that needs. */
  readonly limit?: number | undefined;
  /** What a CSV has columns for, whatever the rows hold. None: the fields that the rows have. */
  readonly fields?: readonly string[];
  /** None: those that the rows have. */
  readonly columns: readonly Column[];
  /** Rows in batches (one per page); an array where all is known. */
  readonly rows: readonly Row[] | AsyncIterable<readonly Row[]>;
  /** Field that `-o id` prints. Default `id`. */
  readonly idField?: string;
  /** The sentence for stderr when there is nothing, in a table. */
  readonly empty: string;
  /** Said on stderr after a table on a terminal, given the number of rows (for instance that there may be more). */
  readonly footnote?: (count: number) => string | undefined;
}

export interface RecordResult extends Ending {
  readonly kind: 'record';
  /** Fields to show first in a table; all others follow. */
  readonly columns?: readonly Column[];
  /** A table shows these fields alone: a person has just seen the rest in a better form. */
  readonly isBrief?: boolean;
  readonly value: Row;
  /** Field that `-o id` prints. Default `id`. */
  readonly idField?: string;
}

/** A request as a preview shows it: what would be sent, or a curl line. */
export type ShownRequest = RecordResult | TextResult;
