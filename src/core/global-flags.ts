import type { CommandSpec, FlagSpecs, FlagValues } from './command-spec.ts';

export const OUTPUT_FORMATS = ['table', 'json', 'ndjson', 'csv', 'xlsx', 'id'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

const TARGET = 'Where to send';
const OUTPUT = 'Output';
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
  output: {
    kind: 'choice',
    variable: 'PROC_OUTPUT',
    short: 'o',
    choices: OUTPUT_FORMATS,
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
  verbose: {
    kind: 'boolean',
    short: 'v',
    group: INTERACTION,
    doc: 'log each request to stderr, secrets masked',
  },
  quiet: { kind: 'boolean', group: INTERACTION, doc: 'hide notices and progress' },
} as const satisfies FlagSpecs;

/** Flags that several commands share; see `sharedFlags`. */
export const SHARED_FLAGS = {
  where: {
    kind: 'strings',
    value: 'condition',
    doc: "keep matching rows, e.g. 'amount>=50000'; operators: = != < <= > >= ~",
  },
  fields: { kind: 'string', value: 'a,b', doc: 'show only these fields, in this order' },
  limit: { kind: 'integer', min: 1, value: 'n', doc: 'print at most this many rows' },
  sort: {
    kind: 'string',
    value: 'field',
    doc: 'sort by this field; if the service cannot, proc reads the whole list and sorts it',
  },
  dir: {
    kind: 'choice',
    choices: ['asc', 'desc'],
    value: 'direction',
    defaultText: 'asc',
    doc: 'sort direction',
  },
  out: {
    kind: 'string',
    value: 'file',
    doc: 'write to FILE atomically; its extension selects the format',
  },
  dryRun: { kind: 'boolean', doc: 'show what would happen, change nothing' },
  again: { kind: 'boolean', doc: 'send even if history contains the same write' },
} as const satisfies FlagSpecs;

/** The verbs of lists; others print the rows that they were asked for. */
const LISTS: ReadonlySet<string> = new Set(['list', 'rows', 'summary', 'changes']);

/** The shared flags of a command: those that list take filters, those that write take `--dry-run`. */
export function sharedFlags({
  changes,
  endpoints = [],
  page,
  path,
  prints,
}: CommandSpec): FlagSpecs {
  const { where, fields, limit, sort, dir, out, dryRun, again } = SHARED_FLAGS;
  const isList = prints === 'list' || prints === 'anything';
  const isWrite = changes === 'service';
  const posts = path[0] === 'api' || endpoints.some(({ method }) => method === 'POST');
  return {
    ...(isList ? { where, fields } : {}),
    ...(LISTS.has(path.at(-1)!) ? { limit, sort, dir } : {}),
    ...(isList || page === true ? { out } : {}),
    ...(isWrite || path[1] === 'prune' ? { dryRun } : {}),
    ...(isWrite && posts ? { again } : {}),
  };
}

type Typed = FlagValues<typeof GLOBAL_FLAGS> & FlagValues<typeof SHARED_FLAGS>;
type Kept = Omit<Typed, 'timeout' | 'retries' | 'fields'>;
type Optional = { [K in keyof Kept]: undefined extends Kept[K] ? K : never }[keyof Kept];

/** The limits of requests, from flags, variables and defaults. */
interface RequestLimits {
  /** Milliseconds per attempt. */
  readonly timeoutMs: number;
  /** Undefined if the timeout is the default. */
  readonly retries: number;
}

/** The values of {@link GLOBAL_FLAGS} and {@link SHARED_FLAGS} as handlers get them: lists are split, and times are in milliseconds. */
export interface GlobalFlags
  extends Omit<Kept, Optional>,
    Partial<Pick<Kept, Optional>>,
    RequestLimits {
  readonly fields?: readonly string[] | undefined;
}
