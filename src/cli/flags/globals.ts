import type { FlagSpecs, FlagValues } from '../../core/command-spec.ts';
import type { GlobalFlags } from '../../core/ports.ts';
import { CSV_DIALECTS, OUTPUT_FORMATS } from '../../output/format.ts';

/** Flags that every command takes, before or after the noun. */
export const GLOBAL_FLAGS = {
  profile: {
    kind: 'string',
    short: 'p',
    value: 'name',
    doc: 'profile (organization) to work with',
  },
  env: { kind: 'string', short: 'e', value: 'name', doc: 'environment of the profile' },
  organization: {
    kind: 'string',
    value: 'name',
    doc: 'organization of a key that no profile holds; remembered for this key',
  },
  output: {
    kind: 'choice',
    short: 'o',
    choices: OUTPUT_FORMATS,
    value: 'format',
    doc: 'output format',
    defaultText: 'table on a terminal, else json',
  },
  query: {
    kind: 'string',
    short: 'q',
    value: 'jmespath',
    doc: 'pick from the result with JMESPath',
  },
  where: {
    kind: 'strings',
    value: 'condition',
    doc: "keep rows that meet every condition, e.g. 'amount>=50000' (= != < <= > >= ~); of an import, rows of its source",
  },
  fields: { kind: 'string', value: 'a,b', doc: 'show just these fields, in this order' },
  out: {
    kind: 'string',
    value: 'file',
    doc: 'write to a file, whole or not at all; format by its ending',
  },
  csvRaw: {
    kind: 'boolean',
    doc: 'csv as it is: write no guard against formulas, keep apostrophes of imported cells',
  },
  csvDialect: {
    kind: 'choice',
    choices: CSV_DIALECTS,
    value: 'name',
    defaultText: 'rfc4180',
    doc: 'form of CSV; excel-es has semicolons, a BOM and decimal commas',
  },
  color: {
    kind: 'choice',
    choices: ['auto', 'always', 'never'],
    value: 'when',
    defaultText: 'auto',
    doc: 'colour the output',
  },
  lang: {
    kind: 'choice',
    choices: ['en', 'es'],
    value: 'language',
    doc: 'language of prompts',
  },
  yes: { kind: 'boolean', short: 'y', doc: 'answer yes where a y/N would be asked' },
  noInput: { kind: 'boolean', doc: 'never ask; fail where an answer is needed' },
  timeout: { kind: 'duration', value: 'time', doc: 'limit for each attempt', defaultText: '30s' },
  retries: {
    kind: 'integer',
    min: 0,
    max: 100,
    value: 'n',
    defaultText: '2',
    doc: 'how often a request may be retried',
  },
  caFile: { kind: 'string', value: 'file', doc: 'PEM file with further certificate authorities' },
  dryRun: { kind: 'boolean', doc: 'show what would be sent or changed, and do nothing' },
  curl: { kind: 'boolean', doc: 'print the request as a curl line, send nothing' },
  offline: { kind: 'boolean', doc: 'with --dry-run or --curl: do not read either' },
  again: { kind: 'boolean', doc: 'send although history shows the same write' },
  allowUnknown: { kind: 'boolean', doc: 'send fields that the contract does not know' },
  verbose: { kind: 'boolean', short: 'v', doc: 'show each request on stderr, secrets masked' },
  quiet: { kind: 'boolean', doc: 'no notices or progress on stderr' },
} as const satisfies FlagSpecs;

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 2;

export function globalFlags(values: FlagValues<typeof GLOBAL_FLAGS>): GlobalFlags {
  const { timeout, retries, fields, ...rest } = values;
  return {
    ...rest,
    fields: fields?.split(',').map((field) => field.trim()),
    timeoutMs: timeout ?? DEFAULT_TIMEOUT_MS,
    retries: retries ?? DEFAULT_RETRIES,
  };
}
