import type { FlagSpecs, FlagValues } from '../core/command-spec.ts';

/** The heading in help of the flags that decide which rows are sent. */
const CHOOSING = 'Choose which rows are sent';

export const IMPORT_FILE = {
  file: { optional: true, doc: 'JSON, NDJSON, CSV, TSV or .xlsx; - for stdin' },
} as const;

const READING = 'Prepare and read the file';
const MAPPING = 'Map columns to fields';

/** Flags about the file and its columns. */
const FILE_FLAGS = {
  path: {
    kind: 'string',
    value: 'a.b',
    group: READING,
    doc: 'path of the array in a JSON document, or ".": the document is one row',
  },
  map: {
    kind: 'strings',
    value: 'field=column',
    group: MAPPING,
    doc: "map a field: COLUMN, product.name inside JSON, or '{Model} {Color}'",
  },
  set: {
    kind: 'strings',
    value: 'field=value',
    group: MAPPING,
    doc: 'set a field in every row',
  },
  mapFile: {
    kind: 'string',
    value: 'file',
    group: MAPPING,
    doc: 'use a mapping written by --save-map',
  },
  saveMap: { kind: 'string', value: 'file', group: MAPPING, doc: 'write the mapping to this file' },
  decimal: {
    kind: 'choice',
    choices: [',', '.'],
    value: 'mark',
    group: READING,
    doc: 'decimal separator of numbers stored as text; the other mark groups thousands',
  },
  encoding: {
    kind: 'string',
    value: 'name',
    group: READING,
    doc: 'file encoding, e.g. windows-1252 or utf-16le',
    defaultText: 'utf-8',
  },
  delimiter: {
    kind: 'string',
    value: 'c',
    group: READING,
    doc: 'character between the columns of a CSV file, or tab',
    defaultText: 'the one of , ; tab | that fits',
  },
  sheet: { kind: 'string', value: 'name', group: READING, doc: 'sheet of an .xlsx workbook' },
  headerRow: {
    kind: 'integer',
    min: 1,
    value: 'n',
    group: READING,
    doc: 'row of the header (CSV: its line)',
    defaultText: '1',
  },
  allowPart: {
    kind: 'boolean',
    group: READING,
    doc: 'import a JSON document that says it is a page of a longer list',
  },
} as const satisfies FlagSpecs;

const CHECKING = 'Check before anything is sent';
const SENDING = 'Send, and report what happened';

const PACE_FLAGS = {
  waitLock: {
    kind: 'duration',
    value: 'time',
    group: SENDING,
    doc: 'wait this long for another import into the same service',
    defaultText: 'no wait',
  },
  rate: {
    kind: 'string',
    value: 'n/s',
    group: SENDING,
    doc: 'limit requests per second, e.g. 50/s',
  },
} as const satisfies FlagSpecs;

const REPORT_FLAGS = {
  rejected: {
    kind: 'string',
    value: 'file',
    group: SENDING,
    doc: 'write rejected rows here',
    defaultText: 'FILE.rejected.csv',
  },
  results: {
    kind: 'string',
    value: 'file',
    group: SENDING,
    doc: 'write each row with its state to this file, also in a dry run',
  },
} as const satisfies FlagSpecs;

const RUN_FLAGS = { ...PACE_FLAGS, ...REPORT_FLAGS } as const;

/** Flags of `imports resume`. */
export const RESUME_FLAGS = RUN_FLAGS;

const COMMON_FLAGS = {
  ...FILE_FLAGS,
  again: {
    kind: 'boolean',
    group: CHOOSING,
    doc: 'send rows that were sent before',
  },
  maxCreate: {
    kind: 'integer',
    min: 0,
    value: 'n',
    group: CHECKING,
    doc: 'send nothing if the plan creates more records than this, items defined in place included',
  },
  maxRejected: {
    kind: 'string',
    value: 'n|n%',
    group: CHECKING,
    doc: 'stop if more rows than this are rejected, e.g. 5%; before sending if proc rejects them',
  },
  digest: {
    kind: 'string',
    value: 'digest',
    group: CHECKING,
    doc: 'send only the plan with this digest, which a dry run has printed',
  },
  ...RUN_FLAGS,
} as const satisfies FlagSpecs;

/** Flags of nouns with a list. */
const LISTED_FLAGS = {
  exactCodes: {
    kind: 'boolean',
    group: CHOOSING,
    doc: 'a code in another spelling is another record; by default, case, spaces and dashes make no difference',
  },
} as const satisfies FlagSpecs;

const FIRST_RUN = {
  kind: 'boolean',
  group: CHECKING,
  doc: 'confirm that nothing was imported here before; required in a script if the ledger is empty',
} as const satisfies FlagSpecs[string];

/** Flags of nouns without a list: only the ledger knows what was sent before. */
const UNLISTED_FLAGS = {
  key: {
    kind: 'string',
    value: 'fields',
    group: CHOOSING,
    doc: 'fields that identify a record, e.g. reference,account; none: only equal rows are the same',
  },
  sendEqual: {
    kind: 'boolean',
    group: CHOOSING,
    doc: 'send each of several equal rows of the file, except those that were sent before',
  },
  firstRun: FIRST_RUN,
} as const satisfies FlagSpecs;

const ORDER_FLAGS = {
  groupBy: {
    kind: 'string',
    value: 'column',
    group: MAPPING,
    doc: 'form one requisition per value of this column',
  },
} as const satisfies FlagSpecs;

export const IMPORT_FLAGS = { ...COMMON_FLAGS, ...LISTED_FLAGS } as const;
export const IMPUTATION_FLAGS = { ...COMMON_FLAGS, ...UNLISTED_FLAGS } as const;
export const REQUISITION_FLAGS = { ...COMMON_FLAGS, ...UNLISTED_FLAGS, ...ORDER_FLAGS } as const;

/** A flag that a noun does not have is undefined. */
export type ImportFlags = FlagValues<typeof COMMON_FLAGS> &
  Partial<FlagValues<typeof LISTED_FLAGS & typeof UNLISTED_FLAGS & typeof ORDER_FLAGS>>;
export type ReportFlags = FlagValues<typeof REPORT_FLAGS>;
export type ResumeFlags = FlagValues<typeof RESUME_FLAGS>;
