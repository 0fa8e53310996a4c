import type { FlagSpecs, FlagValues } from '../core/command-spec.ts';

export const IMPORT_FILE = {
  file: { doc: 'JSON, NDJSON, CSV, TSV or .xlsx; - for stdin' },
} as const;

/** Headings of help, in the order of the work. */
const FILE = 'Give the file';
const COLUMNS = 'Name the columns';
const LOOK = 'Look at the plan';
const SEND = 'Send';

const FILE_FLAGS = {
  path: {
    kind: 'string',
    value: 'a.b',
    group: FILE,
    doc: 'array inside a JSON document; . for one row',
  },
  sheet: { kind: 'string', value: 'name', group: FILE, doc: 'sheet of a workbook' },
  headerRow: {
    kind: 'integer',
    min: 1,
    value: 'n',
    group: FILE,
    doc: 'row of the header',
    defaultText: '1',
  },
  delimiter: { kind: 'string', value: 'c', group: FILE, doc: 'separates columns, e.g. ^ or tab' },
  encoding: { kind: 'string', value: 'name', group: FILE, doc: 'e.g. windows-1252' },
  decimal: {
    kind: 'choice',
    choices: [',', '.'],
    value: 'mark',
    group: FILE,
    doc: 'separates decimals in text',
  },
  allowPart: { kind: 'boolean', group: FILE, doc: 'import one page of a longer list' },
} as const satisfies FlagSpecs;

const COLUMN_FLAGS = {
  map: {
    kind: 'strings',
    value: 'field=column',
    group: COLUMNS,
    doc: "column, a.b in JSON or '{A} {B}'",
  },
  set: { kind: 'strings', value: 'field=value', group: COLUMNS, doc: 'set a field in every row' },
  saveMap: {
    kind: 'string',
    value: 'file',
    group: COLUMNS,
    doc: 'write the map, and how to read the file',
  },
  mapFile: { kind: 'string', value: 'file', group: COLUMNS, doc: 'use what --save-map wrote' },
  allowOdd: { kind: 'boolean', group: COLUMNS, doc: 'send codes and names such as NaN or 1E+05' },
} as const satisfies FlagSpecs;

/** Flags of `imports resume`. */
export const RESUME_FLAGS = {
  rate: { kind: 'string', value: 'n/s', group: SEND, doc: 'limit requests per second, e.g. 50/s' },
  waitLock: {
    kind: 'duration',
    value: 'time',
    group: SEND,
    doc: 'wait for another import',
    defaultText: 'no wait',
  },
} as const satisfies FlagSpecs;

const COMMON_FLAGS = {
  ...FILE_FLAGS,
  ...COLUMN_FLAGS,
  dryRun: { kind: 'boolean', group: LOOK, doc: 'show the plan, send nothing' },
  digest: {
    kind: 'string',
    value: 'digest',
    group: LOOK,
    doc: 'send only the plan with this digest',
  },
  maxCreate: {
    kind: 'integer',
    min: 0,
    value: 'n',
    group: LOOK,
    doc: 'refuse a plan that creates more records',
  },
  maxRejected: {
    kind: 'string',
    value: 'n|n%',
    group: LOOK,
    doc: 'stop if more rows are rejected, e.g. 5%',
  },
  again: { kind: 'boolean', group: SEND, doc: 'send rows that were sent before' },
  rejected: {
    kind: 'string',
    value: 'file',
    group: SEND,
    doc: 'write rejected rows here',
    defaultText: 'FILE.rejected.csv',
  },
  results: { kind: 'string', value: 'file', group: LOOK, doc: 'write each row with its state' },
  ...RESUME_FLAGS,
} as const satisfies FlagSpecs;

/** Flags of nouns with rows of fields. */
const MISSING_FLAGS = {
  allowMissing: {
    kind: 'string',
    value: 'fields',
    group: COLUMNS,
    doc: 'send rows without these, e.g. code',
  },
} as const satisfies FlagSpecs;

/** Flags of nouns with a list. */
const LISTED_FLAGS = {
  exactCodes: { kind: 'boolean', group: LOOK, doc: 'other case, dashes or spaces: another code' },
} as const satisfies FlagSpecs;

/** Flags of nouns without a list: only the ledger knows what was sent before. */
const UNLISTED_FLAGS = {
  key: {
    kind: 'string',
    value: 'fields',
    group: LOOK,
    doc: 'what identifies a record, or none',
  },
  sendEqual: { kind: 'boolean', group: SEND, doc: 'send equal rows of the file, too' },
  firstRun: { kind: 'boolean', group: SEND, doc: 'confirm that no earlier import exists' },
} as const satisfies FlagSpecs;

const ORDER_FLAGS = {
  groupBy: {
    kind: 'string',
    value: 'column',
    group: COLUMNS,
    doc: 'make one requisition per value',
  },
} as const satisfies FlagSpecs;

export const IMPORT_FLAGS = { ...COMMON_FLAGS, ...MISSING_FLAGS, ...LISTED_FLAGS } as const;
export const IMPUTATION_FLAGS = { ...COMMON_FLAGS, ...MISSING_FLAGS, ...UNLISTED_FLAGS } as const;
export const REQUISITION_FLAGS = { ...COMMON_FLAGS, ...UNLISTED_FLAGS, ...ORDER_FLAGS } as const;

/** A flag that a noun does not have is undefined. */
export type ImportFlags = FlagValues<typeof COMMON_FLAGS> &
  Partial<
    FlagValues<
      typeof MISSING_FLAGS & typeof LISTED_FLAGS & typeof UNLISTED_FLAGS & typeof ORDER_FLAGS
    >
  >;
export type ResumeFlags = FlagValues<typeof RESUME_FLAGS>;
