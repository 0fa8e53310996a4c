import type { CommandSpec, Printed } from '../../core/command-spec.ts';
import { ProcError } from '../../core/errors.ts';
import type { GlobalFlags } from '../../core/ports.ts';

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

export const EFFECTIVE: Readonly<Record<Printed, readonly Shaping[]>> = {
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
    if (spec.filtersSource === true && (flag === 'where' || flag === 'csvRaw')) continue;
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

function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

/** True for imports too: they refuse `--curl` with a message of their own. */
function sendsOne({ changes, endpoints = [], prints }: CommandSpec): boolean {
  if (changes === 'local') return false;
  return endpoints.length > 0 || (changes === 'service' && prints === 'anything');
}
