import type { CommandSpec, FlagSpec, Printed } from '../core/command-spec.ts';
import { ProcError } from '../core/errors.ts';
import { GLOBAL_FLAGS, type GlobalFlags } from '../core/global-flags.ts';
import type { Result } from '../core/result.ts';
import { durationText } from '../core/time/duration.ts';
import type { OutputPlan } from '../output/output-plan.ts';

// Which global flag has an effect on which command. A flag without effect is refused before the command runs.

type Shaping =
  | 'where'
  | 'orderBy'
  | 'fields'
  | 'query'
  | 'output'
  | 'out'
  | 'noHeaders'
  | 'csvRaw'
  | 'csvDialect';

const RECORD: readonly Shaping[] = [
  'fields',
  'query',
  'output',
  'out',
  'noHeaders',
  'csvRaw',
  'csvDialect',
];

const EFFECTIVE: Readonly<Record<Printed, readonly Shaping[]>> = {
  list: ['where', 'orderBy', ...RECORD],
  record: RECORD,
  text: ['out'],
  announcement: ['output'],
  anything: ['where', 'orderBy', ...RECORD],
  nothing: [],
};

const WORDS: Readonly<Record<Printed, string>> = {
  list: 'a list',
  record: 'one record',
  text: 'plain text',
  announcement: 'the address of the sandbox, as text or one line of JSON',
  anything: 'data',
  nothing: 'no data',
};

const NAMES: Readonly<Record<Shaping, string>> = {
  where: '--where',
  orderBy: '--order-by',
  fields: '--fields',
  query: '--query',
  output: '--output',
  out: '--out',
  noHeaders: '--no-headers',
  csvRaw: '--csv-raw',
  csvDialect: '--csv-dialect',
};

/**
 * Refuses output flags, `--curl` and `--offline` if they have no effect. Flags such as `--yes` and
 * `--timeout` are always accepted.
 *
 * @throws ProcError `invalid_usage`, before the command does anything
 */
export function refuseUnfitting(spec: CommandSpec, globals: GlobalFlags): void {
  const name = `proc ${spec.path.join(' ')}`;
  const effective = EFFECTIVE[spec.prints];
  for (const flag of Object.keys(NAMES) as Shaping[]) {
    if (!isGiven(globals[flag]) || effective.includes(flag)) continue;
    throw new ProcError(
      'invalid_usage',
      `${NAMES[flag]} has no effect on ${name}, which prints ${WORDS[spec.prints]}`,
      { hint: `Remove ${NAMES[flag]}` },
    );
  }
  const { output } = globals;
  if (spec.prints === 'announcement' && output !== undefined && !/^(table|json)$/.test(output)) {
    throw new ProcError(
      'invalid_usage',
      `--output ${output} has no effect on ${name}, which prints ${WORDS.announcement}`,
      { hint: 'Use -o table or -o json' },
    );
  }
  if (globals.curl && !sendsOne(spec)) {
    throw new ProcError(
      'invalid_usage',
      `--curl has no effect on ${name}: there is no single request to print`,
      { hint: 'To see what it would do, add --dry-run' },
    );
  }
  if (globals.offline && !globals.dryRun && !globals.curl && spec.worksOffline !== true) {
    throw new ProcError('invalid_usage', '--offline works with --dry-run or --curl only', {
      hint: 'Add --dry-run, or remove --offline',
    });
  }
}

/**
 * Refuses flags without effect on the format of the output, which is known once the settings are read.
 *
 * @throws ProcError `invalid_usage`, before the command does anything
 */
export function refuseIdle(
  globals: GlobalFlags,
  { format, query }: Pick<OutputPlan, 'format' | 'query'>,
): void {
  const { csvDialect, csvRaw, noHeaders, fields } = globals;
  const idle: readonly (readonly [isIdle: boolean, flag: string, what: string, hint: string])[] = [
    [
      csvDialect !== undefined && format !== 'csv',
      '--csv-dialect',
      `${format} output`,
      'Add -o csv, or remove --csv-dialect',
    ],
    [
      csvRaw && format !== 'csv',
      '--csv-raw',
      `${format} output`,
      'Add -o csv, or remove --csv-raw',
    ],
    [
      noHeaders === true && !['table', 'csv'].includes(format),
      '--no-headers',
      `${format} output`,
      'Add -o csv or -o table, or remove --no-headers',
    ],
    [
      fields !== undefined && format === 'id' && query === undefined,
      '--fields',
      '-o id, which prints only ids',
      'Remove --fields, or use another format, e.g. -o csv',
    ],
  ];
  for (const [isIdle, flag, what, hint] of idle) {
    if (isIdle) throw new ProcError('invalid_usage', `${flag} has no effect on ${what}`, { hint });
  }
}

function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

/** True for imports too: they refuse `--curl` with a message of their own. */
function sendsOne({ changes, endpoints = [], prints }: CommandSpec): boolean {
  if (changes === 'local') return false;
  return endpoints.length > 0 || (changes === 'service' && prints === 'anything');
}

/** Flags for writes, and for those who confirm them. */
const OF_WRITES = ['dryRun', 'yes'];

/** Whether a global flag has no effect on a command, so that completion does not offer it. */
export function isIdle(spec: CommandSpec, flag: string): boolean {
  if (Object.hasOwn(NAMES, flag)) return !EFFECTIVE[spec.prints].includes(flag as Shaping);
  if (flag === 'curl') return !sendsOne(spec);
  if (flag === 'offline') return spec.changes === 'nothing' && spec.worksOffline !== true;
  if (flag === 'again' || flag === 'allowUnknown') return spec.changes !== 'service';
  return spec.changes === 'nothing' && OF_WRITES.includes(flag);
}

const SHAPING = ['output', 'where', 'orderBy', 'fields', 'out'] as const;

/** The global flags that the help of a command shows. */
export function commonFlags(spec: CommandSpec): Readonly<Record<string, FlagSpec>> {
  const shaping = SHAPING.filter((key) => EFFECTIVE[spec.prints].includes(key));
  if (spec.changes === 'nothing') {
    return {
      ...deadline(spec),
      ...named(shaping),
    };
  }
  return {
    ...deadline(spec),
    ...named(['dryRun', 'yes']),
    ...named(shaping.filter((key) => key === 'output')),
  };
}

function deadline({ defaultDeadlineMs }: CommandSpec): Record<string, FlagSpec> {
  if (defaultDeadlineMs === undefined) return {};
  const defaultText = durationText(defaultDeadlineMs);
  return { deadline: { ...GLOBAL_FLAGS.deadline, doc: 'give up after this time', defaultText } };
}

function named(keys: readonly (keyof typeof GLOBAL_FLAGS)[]): Record<string, FlagSpec> {
  return Object.fromEntries(keys.map((key) => [key, GLOBAL_FLAGS[key]]));
}

interface Shown {
  readonly flags: GlobalFlags;
  readonly isPreview: boolean;
}

/**
 * `proc orders get A B` prints a list. `proc orders get A` prints a record, so `--where` and
 * `--order-by` are refused.
 */
export function refuseOnOneRecord(
  { args: specs = {}, changes, prints }: CommandSpec,
  args: Readonly<Record<string, unknown>>,
  { flags, isPreview }: Shown,
): void {
  const flag = rowFlag(flags);
  if (changes === 'local' || prints !== 'list' || flag === undefined || isPreview) return;
  const several = Object.entries(specs).filter(([, { variadic }]) => variadic === true);
  const isOne = several.some(([name]) => {
    const typed = args[name] as readonly string[];
    return typed.length === 1 && typed[0] !== '-';
  });
  if (isOne) throw onOneRecord(flag);
}

function rowFlag({ where, orderBy }: GlobalFlags): string | undefined {
  if (where.length > 0) return '--where';
  return orderBy === undefined ? undefined : '--order-by';
}

function onOneRecord(flag: string): ProcError {
  return new ProcError('invalid_usage', `${flag} applies to lists, not to a single record`, {
    hint: `Remove ${flag}`,
  });
}

/**
 * Called after the command ran, because only the result shows whether the command prints a record.
 */
export function refuseUnfiltered(
  { changes }: CommandSpec,
  { kind }: Result,
  { flags, isPreview }: Shown,
) {
  const flag = rowFlag(flags);
  if (kind !== 'record' || flag === undefined) return;
  if (changes === 'nothing' && !isPreview) throw onOneRecord(flag);
}
