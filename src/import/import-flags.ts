import type { FlagSpec, FlagSpecs, FlagValues } from '../core/command-spec.ts';
import { ITEMS_IN_PLACE } from '../nouns/shared/items-in-place.ts';

/**
 * What proc refuses although the contract allows it, because a mistake that is sent cannot be
 * undone. `--allow` names what to send anyway.
 */
const REFUSALS = {
  'non-data': 'totals, repeated headers, units and footers among the rows',
  missing: 'records without a name, code or amount, or without order and contract',
  'error-values': 'spreadsheet errors such as #N/A; placeholders such as N/A as a code or name',
  invisible: 'control characters; zero-width and replacement characters in codes and names',
  'changed-codes': 'codes of a repaired file that differ from the first import',
  'formula-codes': 'codes that begin with = in a CSV file',
  incomplete: 'files that end too early, and files without rows',
  'mixed-marks': 'ambiguous numbers in a column that mixes decimal separators',
  'look-alikes': 'codes that look like codes of existing records',
  unverified: 'rows that may exist, if the list cannot be verified',
} as const;

export type Refusal = keyof typeof REFUSALS;

const NAMES = Object.keys(REFUSALS) as Refusal[];

/** The heading in help of the flags that decide which rows are sent. */
const CHOOSING = 'Choose which rows are sent';

/** A flag `--allow` with these names. */
function allowing(names: readonly Refusal[]) {
  return {
    kind: 'strings',
    value: 'list',
    choices: Object.fromEntries(names.map((name) => [name, REFUSALS[name]])) as Record<
      Refusal,
      string
    >,
    group: CHOOSING,
    doc: 'send what proc refuses by default',
  } as const satisfies FlagSpec;
}

const ALLOW = allowing(NAMES);
/** For requisitions, which have no list, but whose lines may define items. */
const ALLOW_ORDERS = allowing(NAMES.filter((name) => name !== 'unverified'));
/** For other nouns without a list. */
const ALLOW_UNLISTED = allowing(
  NAMES.filter((name) => !['look-alikes', 'unverified'].includes(name)),
);
/** For `imports resume` and `imports send`: what is checked again before sending. */
const ALLOW_RESUMED = allowing(['unverified']);

export const notListed = (many: string): string =>
  `The service cannot list ${many}. So an unconfirmed row stays unconfirmed until you resolve it (proc imports resolve). The state folder has the only record of the rows that were sent before.`;

export const IMPORT_FILE = {
  file: { optional: true, doc: 'JSON, NDJSON, CSV, TSV (also gzipped) or .xlsx; - for stdin' },
} as const;

const READING = 'Prepare and read the file';
const MAPPING = 'Map columns to fields';

/** Flags about the file and its columns. */
const FILE_FLAGS = {
  path: {
    kind: 'string',
    value: 'a.b',
    group: READING,
    doc: 'path of the array in a JSON document',
  },
  map: {
    kind: 'strings',
    value: 'field=column',
    group: MAPPING,
    doc: "map a field: COLUMN, #3, '{Model} {Color}' or jmes:EXPRESSION",
  },
  set: {
    kind: 'strings',
    value: 'field=value',
    group: MAPPING,
    doc: 'set a field in every row',
  },
  mapValue: {
    kind: 'strings',
    value: 'field:value=other',
    group: MAPPING,
    doc: 'replace a value of a field, e.g. unitOfMeasure:ST=EA; or FIELD:FILE with a file of two columns',
  },
  null: {
    kind: 'strings',
    value: 'word',
    group: READING,
    doc: 'treat this word as an empty cell, e.g. NA',
  },
  fillDown: {
    kind: 'strings',
    value: 'column',
    group: READING,
    doc: 'give empty cells of this column the value of the row above',
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
    kind: 'choice',
    choices: ['utf-8', 'windows-1252'],
    value: 'name',
    group: READING,
    doc: 'file encoding',
    defaultText: 'detect',
  },
  sheet: { kind: 'string', value: 'name', group: READING, doc: 'sheet of an .xlsx workbook' },
  headerRow: {
    kind: 'integer',
    min: 0,
    value: 'n',
    group: READING,
    doc: 'row of the header (CSV: its line); 0: no header',
    defaultText: 'the first row with cells',
  },
  skipRows: {
    kind: 'integer',
    min: 0,
    value: 'n',
    group: READING,
    doc: 'ignore the first n rows (CSV: lines)',
  },
} as const satisfies FlagSpecs;

export type FileFlags = FlagValues<typeof FILE_FLAGS>;

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
  tune: {
    kind: 'strings',
    value: 'key=value',
    pairs: { patience: [], settle: [], concurrency: ['auto'] },
    group: SENDING,
    doc: 'patience=TIME: keep retrying a busy or unreachable service for this long (default 5m); settle=TIME: wait this long before checking whether an unconfirmed row was created (default 60s: 2 × --timeout, at least 30s; 2s for the local sandbox; plus the lag of lists that a rehearsal found; or the setting settle of the environment); concurrency=N: number of requests at once (default auto, which adapts it)',
  },
  progress: {
    kind: 'choice',
    choices: ['auto', 'json'],
    value: 'form',
    group: SENDING,
    doc: 'progress on stderr; json prints an object per second',
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
    doc: 'write the outcome of each row to this file',
  },
} as const satisfies FlagSpecs;

const RUN_FLAGS = { ...PACE_FLAGS, ...REPORT_FLAGS } as const;

/** Flags of `imports resume` and `imports send`. */
export const RESUME_FLAGS = { ...RUN_FLAGS, allow: ALLOW_RESUMED } as const;

const COMMON_FLAGS = {
  ...FILE_FLAGS,
  onDuplicate: {
    kind: 'choice',
    choices: ['first', 'last', 'all'],
    value: 'which',
    group: CHOOSING,
    doc: 'which row to keep if rows with the same code differ',
    defaultText: 'stop, exit 2',
  },
  restoreCodes: {
    kind: 'boolean',
    group: CHOOSING,
    doc: 'in a file of rejected rows: take back codes that a spreadsheet changed',
  },
  strict: {
    kind: 'boolean',
    group: CHECKING,
    doc: 'send nothing if the plan has warnings',
  },
  allow: ALLOW,
  plan: {
    kind: 'string',
    value: 'file',
    group: CHECKING,
    doc: 'write the plan per row to .csv, .xlsx, .ndjson or .json',
  },
  exitCode: {
    kind: 'boolean',
    group: CHECKING,
    doc: 'with --dry-run: exit 8 if rows would be rejected',
  },
  stage: {
    kind: 'boolean',
    group: CHECKING,
    doc: 'save the plan; to send it: proc imports send',
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
  ...RUN_FLAGS,
} as const satisfies FlagSpecs;

/** Flags of nouns with a list: proc recognises existing records by code or name. */
const LISTED_FLAGS = {
  onExisting: {
    kind: 'choice',
    choices: ['skip', 'fail'],
    value: 'what',
    group: CHOOSING,
    doc: 'what to do with rows whose code exists',
    defaultText: 'skip',
  },
  noCode: {
    kind: 'choice',
    choices: ['reject', 'name'],
    instead: { send: 'To send rows without a code, use --allow missing' },
    value: 'what',
    group: CHOOSING,
    doc: 'what to do with rows without a code',
    defaultText: 'reject',
  },
} as const satisfies FlagSpecs;

const FIRST_RUN = {
  kind: 'boolean',
  group: CHECKING,
  doc: 'confirm that nothing was imported here before; required in a script if the ledger is empty',
} as const satisfies FlagSpecs[string];

/** Flags of nouns without a list: only this machine knows what was sent before. */
const UNLISTED_FLAGS = {
  allow: ALLOW_UNLISTED,
  onDuplicate: {
    ...COMMON_FLAGS.onDuplicate,
    doc: 'row to send if rows are identical',
    defaultText: 'first',
  },
  onSent: {
    kind: 'choice',
    choices: ['skip', 'send'],
    value: 'what',
    group: CHOOSING,
    doc: 'what to do with rows already sent from this machine',
    defaultText: 'stop, exit 2',
  },
  firstRun: FIRST_RUN,
} as const satisfies FlagSpecs;

const ORDER_FLAGS = {
  allow: ALLOW_ORDERS,
  itemsInPlace: { ...ITEMS_IN_PLACE, group: CHOOSING },
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
  Partial<
    FlagValues<
      typeof LISTED_FLAGS & Omit<typeof UNLISTED_FLAGS, 'allow'> & Omit<typeof ORDER_FLAGS, 'allow'>
    >
  >;
export type PaceFlags = FlagValues<typeof PACE_FLAGS>;
export const SEND_FLAGS = {
  ...RESUME_FLAGS,
  digest: {
    kind: 'string',
    value: 'digest',
    doc: 'send only if the plan has this digest: sha256:…; required for a statement',
  },
  firstRun: FIRST_RUN,
} as const satisfies FlagSpecs;

export type ReportFlags = FlagValues<typeof REPORT_FLAGS>;
export type ResumeFlags = FlagValues<typeof RESUME_FLAGS>;
export type SendFlags = FlagValues<typeof SEND_FLAGS>;
