import type { SourceFormat } from '../source/record.ts';

/** The options of the plan, stored so that a resumed run keeps them. */
export interface Choices {
  readonly onExisting: 'skip' | 'fail' | 'create';
  /** Undefined: rows with the same code and different values stop the run before anything is sent. */
  readonly onDuplicate: 'first' | 'last' | 'all' | undefined;
  readonly noCode: 'reject' | 'name' | 'send';
  readonly maxCreate: number | undefined;
  /** `5%` or a number of rows. */
  readonly maxRejected: string | undefined;
  readonly maxErrors: number | undefined;
  readonly failFast: boolean;
  /** Accept codes that changed in a repaired file. */
  readonly acceptChangedCodes: boolean;
  /** Send nothing if the plan has warnings; missing in older journals. */
  readonly strict?: boolean | undefined;
  /**
   * Send rows without a name, with spreadsheet errors, or with invisible characters; missing in older
   * journals.
   */
  readonly allowNameless?: boolean | undefined;
  readonly allowErrorValues?: boolean | undefined;
  readonly allowInvisible?: boolean | undefined;
  /** What to do with lines that define an item whose code exists; missing in older journals. */
  readonly itemsInPlace?: 'reference' | 'define' | undefined;
  /** The conditions of `--where` as typed; records that do not meet them are filtered. */
  readonly where?: readonly string[] | undefined;
  /** What to do with rows that were sent before; undefined stops the run before anything is sent. */
  readonly onSent: 'skip' | 'send' | undefined;
  /** Keep apostrophes that guard cells against formulas as part of the values. */
  readonly csvRaw?: boolean | undefined;
}

/** The identity of a run; written before the first row and never changed. */
export interface RunHeader {
  readonly run: string;
  readonly noun: string;
  readonly profile: string | undefined;
  readonly environment: string | undefined;
  readonly baseUrl: string;
  /** Undefined in runs of versions that did not record it. */
  readonly organization: string | undefined;
  readonly source: {
    readonly name: string;
    readonly path: string;
    readonly bytes: number;
    readonly hash: string;
    readonly format: SourceFormat;
    readonly columns: readonly string[];
    /** The path of the array, as given by `--path`. */
    readonly arrayPath: string | undefined;
    /** As given by `--encoding` or by a person. */
    readonly encoding: string | undefined;
    /** As given by `--sheet`. */
    readonly sheet: string | undefined;
    /** As given by `--header-row` and `--skip-rows`; missing in older journals. */
    readonly headerRow?: number | undefined;
    readonly skipRows?: number | undefined;
  };
  /** The mapping as JSON. */
  readonly mapping: unknown;
  readonly choices: Choices;
  /** Rows with the same value in this column form one body. */
  readonly groupBy: string | undefined;
  /** The run whose rejected rows this run repairs. */
  readonly repairs: string | undefined;
  /** The files of `--rejected` and `--results`. */
  readonly rejectedFile: string | undefined;
  readonly resultsFile: string | undefined;
  /** The file of `--plan`. */
  readonly planFile?: string | undefined;
  /** `--stage`: the run ends after planning, and `imports send` sends it. */
  readonly isStaged?: boolean | undefined;
  /** The path of the exported file that this machine receives the run from. */
  readonly receivedFile?: string | undefined;
  /** ISO time. */
  readonly startedAt: string;
}

/**
 * `staging`: rows are being read; `planned`: they are read, and nothing was sent; `staged`: the plan is
 * saved, and `imports send` sends exactly it; `finished`: nothing is left to send.
 */
export type Phase = 'staging' | 'planned' | 'staged' | 'sending' | 'finished';

/** What is known about the catalogue before the first request. */
export type Baseline =
  /** The table `catalogue` contains all of it. */
  | 'complete'
  /** Each code was searched for; the table `catalogue` contains what was found. */
  | 'searched'
  /** The list may be incomplete, or could not be read. */
  | 'unproved';

/** What a run detected about the list of its noun; it stays valid when the run is resumed. */
export interface Learned {
  /** The dialect with the detected names, as text. */
  readonly text: string;
  /** False if the names of the sort parameters are not known; the service may refuse unknown ones. */
  readonly takesSort: boolean;
}

/** What the list shows after the run. */
export interface Verified {
  /** False if the list may be incomplete, or does not show all created rows. */
  readonly isComplete: boolean;
  /** Number of codes of created rows that another record has too. */
  readonly twice: number;
  readonly named: readonly { readonly code: string; readonly ids: readonly string[] }[];
  /** Number of created rows that the complete list does not show under their code. */
  readonly hidden?: number;
  readonly notListed?: readonly { readonly code: string; readonly id: string }[];
}
