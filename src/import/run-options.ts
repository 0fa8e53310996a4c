import { ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import type { ImportFlags, PaceFlags, ReportFlags } from './import-flags.ts';
import { mostOf } from './plan/plan.ts';
import { checkRowsFile } from './report/old-rows-file.ts';
import type { Choices } from './run-header.ts';
import { parseRate } from './send/pace.ts';
import type { TargetFields } from './targets/import-target.ts';

const PATIENCE_MS = 5 * 60_000;
const SETTLE_MS = 30_000;

/** Not stored in the run, but for what was typed: each resume gets its own values. */
export interface RunOptions {
  /** Undefined if proc adapts the number. */
  readonly concurrency: number | undefined;
  /** Maximum requests per second. */
  readonly rate: number | undefined;
  readonly patienceMs: number;
  readonly settleMs: number;
}

/** @throws ProcError `invalid_usage` */
export async function runOptionsOf(
  flags: PaceFlags & Partial<ReportFlags>,
  ports: Ports<'api' | 'self'>,
): Promise<RunOptions> {
  const { concurrency, patienceMs } = await ports.api.target();
  refuseStdout('results', flags.results);
  refuseStdout('rejected', flags.rejected);
  checkRowsFile('--results', flags.results);
  return {
    concurrency,
    rate: flags.rate === undefined ? undefined : parseRate(flags.rate),
    patienceMs: patienceMs ?? PATIENCE_MS,
    settleMs: await settleMsOf(ports),
  };
}

/** The flags with which a run continues: a rate that is not typed again stays as the run began. */
export function continuedFlags<F extends PaceFlags>(flags: F, { rate }: Choices): F {
  return { ...flags, rate: flags.rate ?? rate };
}

/**
 * How long proc waits before it looks up an unconfirmed row, in ms: `PROC_SETTLE`, else the setting of
 * the environment, else twice the timeout, but at least 30 s.
 */
export async function settleMsOf(ports: Ports<'api' | 'self'>): Promise<number> {
  const { settleMs } = await ports.api.target();
  if (settleMs !== undefined) return settleMs;
  return Math.max(2 * ports.self.flags.timeoutMs, SETTLE_MS);
}

/** Standard output is for the summary, and a file named `-` would surprise everybody. */
function refuseStdout(flag: string, file: string | undefined): void {
  if (file !== '-') return;
  throw new ProcError(
    'invalid_usage',
    `--${flag} - : expected a file, because the summary goes to standard output`,
    {
      hint: `Name a file: --${flag} ${flag}.csv`,
    },
  );
}

/**
 * For a dry run, which sends nothing: refuses `--results` and `--rejected`.
 *
 * @throws ProcError `invalid_usage`
 */
export function refuseReports({ rejected, results }: ReportFlags): void {
  const flag =
    results !== undefined ? '--results' : rejected !== undefined ? '--rejected' : undefined;
  if (flag === undefined) return;
  throw new ProcError(
    'invalid_usage',
    `${flag} cannot be combined with --dry-run, which sends nothing`,
    {
      hint: `Remove ${flag}`,
    },
  );
}

/**
 * @param fields of the noun
 * @throws ProcError `invalid_usage`
 */
export function choicesOf(flags: ImportFlags, { fields }: TargetFields): Choices {
  mostOf(flags.maxRejected, 0);
  return {
    again: flags.again === true,
    sendEqual: flags.sendEqual === true,
    exactCodes: flags.exactCodes === true,
    key: keyFields(flags.key, fields),
    maxCreate: flags.maxCreate,
    maxRejected: flags.maxRejected,
    rate: flags.rate,
  };
}

function keyFields(
  text: string | undefined,
  fields: TargetFields['fields'],
): readonly string[] | undefined {
  if (text === undefined || text.trim() === 'none') return text === undefined ? undefined : [];
  const names = text.split(',').map((name) => name.trim());
  const known = fields.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return names;
  throw new ProcError(
    'invalid_usage',
    `--key ${text}: there is no field ${JSON.stringify(unknown)}; expected fields separated by commas, or none`,
    { hint: `Fields: ${known.join(', ')}` },
  );
}
