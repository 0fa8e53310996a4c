import type { SourceFormat } from '../source/record.ts';

/** What the plan was told to do; kept, so that a resumed run continues in the same way. */
export interface Choices {
  readonly onExisting: 'skip' | 'fail' | 'create';
  /** Undefined: rows with one code that differ end the run before anything is sent. */
  readonly onDuplicate: 'first' | 'last' | 'all' | undefined;
  readonly noCode: 'reject' | 'name' | 'send';
  readonly maxCreate: number | undefined;
  /** `5%` or a number of rows. */
  readonly maxRejected: string | undefined;
  readonly maxErrors: number | undefined;
  readonly failFast: boolean;
  /** Codes of a repaired file that are others than they were. */
  readonly acceptChangedCodes: boolean;
  /** Lines that define an item whose code belongs to another one; absent in older journals. */
  readonly itemsInPlace?: 'reference' | 'define' | undefined;
  /** Conditions that records of the source meet (`--where`), as typed; the others are filtered. */
  readonly where?: readonly string[] | undefined;
  /** Rows that this address got before; undefined ends the run before anything is sent. */
  readonly onSent: 'skip' | 'send' | undefined;
  /** Apostrophes that guard cells against spreadsheets are part of the values. */
  readonly csvRaw?: boolean | undefined;
}

/** What a journal is bound to; written before the first row, never changed. */
export interface RunHeader {
  readonly run: string;
  readonly noun: string;
  readonly profile: string | undefined;
  readonly environment: string | undefined;
  readonly baseUrl: string;
  /** Undefined in runs from before this was recorded. */
  readonly organization: string | undefined;
  readonly source: {
    readonly name: string;
    readonly path: string;
    readonly bytes: number;
    readonly hash: string;
    readonly format: SourceFormat;
    readonly columns: readonly string[];
    /** Where the array stands, as given by `--path`. */
    readonly arrayPath: string | undefined;
    /** As `--encoding` or a person named it. */
    readonly encoding: string | undefined;
    /** As `--sheet` named it. */
    readonly sheet: string | undefined;
  };
  /** As the mapper writes it. */
  readonly mapping: unknown;
  readonly choices: Choices;
  /** Column whose equal values make one body together. */
  readonly groupBy: string | undefined;
  /** The run whose rejected rows are brought in anew. */
  readonly repairs: string | undefined;
  /** Where `--rejected` and `--results` go. */
  readonly rejectedFile: string | undefined;
  readonly resultsFile: string | undefined;
  /** ISO time. */
  readonly startedAt: string;
}

/** `staging` rows are being read; `planned` nothing was sent; `sending`; `finished` to the end. */
export type Phase = 'staging' | 'planned' | 'sending' | 'finished';

/** What is known of the catalogue as it was before the first request. */
export type Baseline =
  /** All of it is in the table `catalogue`. */
  | 'complete'
  /** Each code was looked up on its own; what was found is in `catalogue`. */
  | 'searched'
  /** Could not be read to a proved end, or not at all. */
  | 'unproved';

/** What a run found out about the noun's list; it holds for this run, also when it is resumed. */
export interface Learned {
  /** As text, the dialect in use with what was seen put in. */
  readonly text: string;
  /** False: the names of the sort parameters are not known, and unknown ones may be refused. */
  readonly takesSort: boolean;
}

/** What the list says after the run. */
export interface Verified {
  /** False: it could not be read to a verified end, or does not show all that was created. */
  readonly isComplete: boolean;
  /** Codes that this run created and that something else carries too. */
  readonly twice: number;
  readonly named: readonly { readonly code: string; readonly ids: readonly string[] }[];
  /** Rows that this run created and that the list, read to its end, does not show with their code. */
  readonly hidden?: number;
  readonly notListed?: readonly { readonly code: string; readonly id: string }[];
}
