import { ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import { ownSandboxAt } from '../sandbox/server/registration.ts';
import type { CheckFlags, ImportFlags, PaceFlags, ReportFlags } from './import-flags.ts';
import type { Choices } from './ledger/header.ts';
import type { CatalogueChecks } from './plan/catalogue/baseline.ts';
import { rejectedLimit } from './plan/import-plan.ts';
import { parseConcurrency, parseRate } from './send/pace.ts';
import type { SendOptions } from './send/send-parts.ts';

const PATIENCE_MS = 5 * 60_000;
const SETTLE_MS = 30_000;

export interface RunOptions extends SendOptions {
  readonly checks: CatalogueChecks;
}

/** @throws ProcError `invalid_usage` */
export async function runOptionsOf(
  flags: PaceFlags & Partial<ReportFlags & CheckFlags>,
  ports: Ports<'api' | 'self'>,
): Promise<RunOptions> {
  refuseStdout('results', flags.results);
  refuseStdout('rejected', flags.rejected);
  checkResultsFile(flags.results);
  return {
    concurrency: parseConcurrency(flags.concurrency),
    rate: flags.rate === undefined ? undefined : parseRate(flags.rate),
    patienceMs: flags.patience ?? PATIENCE_MS,
    settleMs: await settleMsOf(flags, ports),
    checks: {
      unverified: flags.unverified ?? 'stop',
      learn: flags.learn ?? false,
      verify: flags.noVerify !== true,
    },
  };
}

/**
 * How long proc waits before it looks up an unconfirmed row, in ms: `--settle`, else the setting of the
 * environment, else what our own sandbox needs, else twice the timeout, but at least 30 s.
 */
export async function settleMsOf(
  { settle }: { readonly settle: number | undefined },
  ports: Ports<'api' | 'self'>,
): Promise<number> {
  if (settle !== undefined) return settle;
  const { settleMs, baseUrl } = await ports.api.target();
  if (settleMs !== undefined) return settleMs;
  const sandbox = await ownSandboxAt(ports.self.env, baseUrl);
  return sandbox?.settleMs ?? Math.max(2 * ports.self.flags.timeoutMs, SETTLE_MS);
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

function checkResultsFile(file: string | undefined): void {
  if (file === undefined || /\.(csv|json|ndjson)$/i.test(file)) return;
  throw new ProcError(
    'invalid_usage',
    `--results ${file}: its extension selects the format, one of: .csv, .json, .ndjson`,
    { hint: 'Use e.g. --results results.csv' },
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
      hint: `Remove ${flag}. To write the plan of every row, add --plan FILE`,
    },
  );
}

/** @throws ProcError `invalid_usage` */
export function choicesOf(flags: ImportFlags): Choices {
  rejectedLimit(flags.maxRejected, 0);
  return {
    onExisting: flags.onExisting ?? 'skip',
    onDuplicate: flags.onDuplicate,
    noCode: flags.noCode ?? 'reject',
    maxCreate: flags.maxCreate,
    maxRejected: flags.maxRejected,
    maxErrors: flags.maxErrors,
    failFast: flags.failFast,
    onSent: flags.onSent,
    itemsInPlace: flags.itemsInPlace,
    acceptChangedCodes: flags.acceptChangedCodes,
    strict: flags.strict,
    allowNameless: flags.allowNameless ?? false,
    allowErrorValues: flags.allowErrorValues,
    allowInvisible: flags.allowInvisible,
  };
}
