import type { FlagValues } from '../core/command-spec.ts';

export const IMPORT_FILE = {
  file: { doc: 'JSON, NDJSON, CSV, TSV or .xlsx; - for stdin' },
} as const;

/** Headings of help, in the order of the work. */
const FILE = 'Give the file';
const COLUMNS = 'Name the columns';
const LOOK = 'Look at the plan';
const SEND = 'Send';

const yes = (group: string, doc: string) => ({ kind: 'boolean', group, doc }) as const;
const text = (group: string, value: string, doc: string) =>
  ({ kind: 'string', group, value, doc }) as const;
const texts = (group: string, value: string, doc: string) =>
  ({ kind: 'strings', group, value, doc }) as const;
const count = (group: string, min: number, doc: string) =>
  ({ kind: 'integer', min, value: 'n', group, doc }) as const;

/** Flags of `imports resume`. */
export const RESUME_FLAGS = {
  rate: text(SEND, 'n/s', 'limit requests per second, e.g. 50/s'),
  waitLock: {
    kind: 'duration',
    value: 'time',
    group: SEND,
    doc: 'wait for another import',
    defaultText: 'no wait',
  },
} as const;

const COMMON_FLAGS = {
  path: text(FILE, 'a.b', 'array inside a JSON document; . for one row'),
  sheet: text(FILE, 'name', 'sheet of a workbook'),
  headerRow: { ...count(FILE, 1, 'row of the header'), defaultText: '1' },
  delimiter: text(FILE, 'c', 'separates columns, e.g. ^ or tab'),
  encoding: text(FILE, 'name', 'e.g. windows-1252'),
  decimal: {
    kind: 'choice',
    choices: [',', '.'],
    value: 'mark',
    group: FILE,
    doc: 'separates decimals in text',
  },
  allowPart: yes(FILE, 'import one page of a longer list'),
  map: texts(COLUMNS, 'field=column', "column, a.b in JSON or '{A} {B}'"),
  set: texts(COLUMNS, 'field=value', 'set a field in every row'),
  saveMap: text(COLUMNS, 'file', 'write the map, and how to read the file'),
  mapFile: text(COLUMNS, 'file', 'use what --save-map wrote'),
  allowOdd: yes(COLUMNS, 'send codes and names such as NaN or 1E+05'),
  dryRun: yes(LOOK, 'show the plan, send nothing'),
  digest: text(LOOK, 'digest', 'send only the plan with this digest'),
  maxCreate: count(LOOK, 0, 'refuse a plan that creates more records'),
  maxRejected: text(LOOK, 'n|n%', 'stop if more rows are rejected, e.g. 5%'),
  again: yes(SEND, 'send rows that were sent before'),
  firstRun: yes(SEND, 'confirm that no earlier import exists'),
  rejected: { ...text(SEND, 'file', 'write rejected rows here'), defaultText: 'FILE.rejected.csv' },
  results: text(LOOK, 'file', 'write each row with its state'),
  ...RESUME_FLAGS,
} as const;

const ALLOW_MISSING = {
  allowMissing: text(COLUMNS, 'fields', 'send rows without these, e.g. code'),
} as const;

/** Flags of nouns with a list. */
const LISTED_FLAGS = {
  exactCodes: yes(LOOK, 'other case, dashes or spaces: another code'),
} as const;

/** Flags of nouns without a list: only the ledger knows what was sent before. */
const UNLISTED_FLAGS = {
  key: text(LOOK, 'fields', 'what identifies a record, or none'),
  sendEqual: yes(SEND, 'send equal rows of the file, too'),
} as const;

const GROUP_BY = { groupBy: text(COLUMNS, 'column', 'make one requisition per value') } as const;

export const IMPORT_FLAGS = { ...COMMON_FLAGS, ...ALLOW_MISSING, ...LISTED_FLAGS } as const;
export const IMPUTATION_FLAGS = { ...COMMON_FLAGS, ...ALLOW_MISSING, ...UNLISTED_FLAGS } as const;
export const REQUISITION_FLAGS = { ...COMMON_FLAGS, ...UNLISTED_FLAGS, ...GROUP_BY } as const;

/** A flag that a noun does not have is undefined. */
export type ImportFlags = FlagValues<typeof COMMON_FLAGS> &
  Partial<FlagValues<typeof IMPUTATION_FLAGS & typeof LISTED_FLAGS & typeof GROUP_BY>>;
export type ResumeFlags = FlagValues<typeof RESUME_FLAGS>;
