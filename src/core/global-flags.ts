import type { FlagSpecs, FlagValues } from './command-spec.ts';

export const OUTPUT_FORMATS = ['table', 'json', 'ndjson', 'csv', 'xlsx', 'id'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/**
 * `excel` adds the byte order mark by which Excel recognises UTF-8. `excel-es` also has semicolons
 * and decimal commas.
 */
const CSV_DIALECTS = ['rfc4180', 'excel', 'excel-es'] as const;
export type CsvDialect = (typeof CSV_DIALECTS)[number];

const TARGET = 'Where to send';
const OUTPUT = 'Output';
const WRITES = 'Writes';
const REQUESTS = 'Requests';
const INTERACTION = 'Interaction';

export const GLOBAL_FLAGS = {
  profile: {
    kind: 'string',
    variable: 'PROC_PROFILE',
    short: 'p',
    value: 'name',
    group: TARGET,
    doc: 'use this profile (organization)',
  },
  env: {
    kind: 'string',
    variable: 'PROC_ENV',
    short: 'e',
    value: 'name',
    group: TARGET,
    doc: 'use this environment of the profile',
  },
  organization: {
    kind: 'string',
    variable: 'PROC_ORGANIZATION',
    value: 'name',
    group: TARGET,
    doc: 'organization of a key that is not stored in a profile',
  },
  output: {
    kind: 'choice',
    variable: 'PROC_OUTPUT',
    short: 'o',
    choices: OUTPUT_FORMATS,
    instead: {
      excel: 'Did you mean xlsx?',
      jsonl: 'Did you mean ndjson?',
      jsonlines: 'Did you mean ndjson?',
      text: 'Did you mean table?',
      plain: 'Did you mean table?',
      wide: 'Did you mean table?',
    },
    value: 'format',
    group: OUTPUT,
    doc: 'output format',
    defaultText: 'table, json if piped',
  },
  query: {
    kind: 'string',
    short: 'q',
    value: 'jmespath',
    group: OUTPUT,
    doc: 'select from the result with a JMESPath expression',
  },
  where: {
    kind: 'strings',
    value: 'condition',
    group: OUTPUT,
    doc: "keep matching rows, e.g. 'amount>=50000'; operators: = != < <= > >= ~ in",
  },
  orderBy: {
    kind: 'string',
    value: 'field',
    group: OUTPUT,
    doc: 'sort all rows by this field, e.g. amount:desc',
  },
  fields: {
    kind: 'string',
    value: 'a,b',
    group: OUTPUT,
    doc: 'show only these fields, in this order',
  },
  out: {
    kind: 'string',
    value: 'file',
    group: OUTPUT,
    doc: 'write to FILE atomically; its extension selects the format',
  },
  noHeaders: {
    kind: 'boolean',
    group: OUTPUT,
    doc: 'print no header line in tables, CSV and TSV',
  },
  csvRaw: {
    kind: 'boolean',
    group: OUTPUT,
    doc: 'do not escape CSV cells that look like formulas; on import, keep the escaping apostrophes',
  },
  csvDialect: {
    kind: 'choice',
    choices: CSV_DIALECTS,
    value: 'name',
    group: OUTPUT,
    defaultText: 'rfc4180',
    doc: 'CSV dialect; excel-es has semicolons, a BOM and decimal commas',
  },
  color: {
    kind: 'choice',
    choices: ['auto', 'always', 'never'],
    value: 'when',
    group: INTERACTION,
    defaultText: 'auto',
    doc: 'colour the output',
  },
  yes: { kind: 'boolean', short: 'y', group: INTERACTION, doc: 'confirm without asking' },
  noInput: {
    kind: 'boolean',
    variable: 'PROC_NO_INPUT',
    group: INTERACTION,
    doc: 'never prompt; fail if an answer is needed',
  },
  timeout: {
    kind: 'duration',
    variable: 'PROC_TIMEOUT',
    value: 'time',
    group: REQUESTS,
    doc: 'time limit of each attempt',
    defaultText: '30s',
  },
  retries: {
    kind: 'integer',
    variable: 'PROC_RETRIES',
    min: 0,
    max: 100,
    value: 'n',
    group: REQUESTS,
    defaultText: '2',
    doc: 'retry a request at most this many times',
  },
  deadline: {
    kind: 'duration',
    value: 'time',
    group: REQUESTS,
    doc: 'time limit of the whole command, e.g. 10m',
  },
  dryRun: {
    kind: 'boolean',
    group: WRITES,
    doc: 'show what would happen, change nothing',
  },
  curl: {
    kind: 'boolean',
    group: WRITES,
    doc: 'print the request as a curl command, send nothing',
  },
  offline: {
    kind: 'boolean',
    group: WRITES,
    doc: 'with --dry-run or --curl: send no reads either',
  },
  again: { kind: 'boolean', group: WRITES, doc: 'send even if history contains the same write' },
  allowUnknown: {
    kind: 'boolean',
    group: WRITES,
    doc: 'send fields that the contract does not define',
  },
  verbose: {
    kind: 'boolean',
    short: 'v',
    group: INTERACTION,
    doc: 'log each request to stderr, secrets masked',
  },
  quiet: { kind: 'boolean', group: INTERACTION, doc: 'hide notices and progress' },
} as const satisfies FlagSpecs;

type Typed = FlagValues<typeof GLOBAL_FLAGS>;
type Kept = Omit<Typed, 'timeout' | 'retries' | 'deadline' | 'fields'>;
type Optional = { [K in keyof Kept]: undefined extends Kept[K] ? K : never }[keyof Kept];

/** The limits of requests, from flags, variables and defaults. */
export interface RequestLimits {
  /** Milliseconds per attempt. */
  readonly timeoutMs: number;
  /** Undefined if the timeout is the default. */
  readonly timeoutFrom?: 'flag' | 'variable' | undefined;
  readonly retries: number;
  readonly retriesFrom?: 'flag' | 'variable' | undefined;
}

/** The values of {@link GLOBAL_FLAGS} as handlers get them: lists are split, and times are in milliseconds. */
export interface GlobalFlags
  extends Omit<Kept, Optional>,
    Partial<Pick<Kept, Optional>>,
    RequestLimits {
  readonly fields?: readonly string[] | undefined;
  readonly deadlineMs?: number | undefined;
}
