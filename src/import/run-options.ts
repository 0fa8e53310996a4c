import { ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import type { MostCreated } from '../core/service-target.ts';
import { nearest } from '../core/text/nearest.ts';
import { readTimeLimit } from '../core/time/duration.ts';
import { show } from '../core/validate.ts';
import { rehearsedFor } from '../rehearsal/kept-traits.ts';
import { ownSandboxAt } from '../sandbox/server/registration.ts';
import type { ImportFlags, PaceFlags, ReportFlags } from './import-flags.ts';
import { mostOf } from './plan/import-plan.ts';
import { checkRowsFile } from './report/rows-file.ts';
import { parseConcurrency, parseRate } from './send/pace.ts';
import type { Choices } from './store/facts.ts';

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
  /** `--exit-code`: a dry run fails if rows would be rejected. */
  readonly failsIfRejected: boolean;
  /** Beside `--max-create`. */
  readonly maxCreate: MostCreated | undefined;
}

/** @throws ProcError `invalid_usage` */
export async function runOptionsOf(
  flags: PaceFlags & Partial<ReportFlags> & { readonly exitCode?: boolean },
  ports: Ports<'api' | 'self'>,
): Promise<RunOptions> {
  const tuned = tunedBy(flags.tune, ['patience', 'settle', 'concurrency']);
  refuseStdout('results', flags.results);
  refuseStdout('rejected', flags.rejected);
  checkRowsFile('--results', flags.results);
  return {
    concurrency: parseConcurrency(tuned.get('concurrency')),
    rate: flags.rate === undefined ? undefined : parseRate(flags.rate),
    patienceMs: timeOf(tuned, 'patience') ?? PATIENCE_MS,
    settleMs: await settleMsOf(flags, ports),
    failsIfRejected: flags.exitCode === true,
    maxCreate: (await ports.api.target()).maxCreate,
  };
}

/** The flags with which a run continues: what is not typed again stays as the run began. */
export function continuedFlags<F extends PaceFlags>(flags: F, { tune = [], rate }: Choices): F {
  const typed = tunedBy(flags.tune);
  const kept = [...tunedBy(tune)].filter(([key]) => !typed.has(key));
  return {
    ...flags,
    tune: [...flags.tune, ...kept.map(([key, value]) => `${key}=${value}`)],
    rate: flags.rate ?? rate,
  };
}

/**
 * How long proc waits before it looks up an unconfirmed row, in ms: `--tune settle`, else the setting of
 * the environment, else what our own sandbox needs, else twice the timeout, but at least 30 s. To the last two it
 * adds how long lists lagged in a rehearsal.
 */
export async function settleMsOf(
  { tune }: { readonly tune: readonly string[] },
  ports: Ports<'api' | 'self'>,
): Promise<number> {
  const settle = timeOf(tunedBy(tune), 'settle');
  if (settle !== undefined) return settle;
  const { settleMs, baseUrl } = await ports.api.target();
  if (settleMs !== undefined) return settleMs;
  const sandbox = await ownSandboxAt(ports.self.env, baseUrl);
  const usual = sandbox?.settleMs ?? Math.max(2 * ports.self.flags.timeoutMs, SETTLE_MS);
  // A rehearsal sees when lists follow, but not how late a request may still be applied.
  return usual + ((await rehearsedFor(ports))?.list.lagMs ?? 0);
}

/**
 * The values of `--tune key=value,key=value`.
 *
 * @param keys the keys that the flag may have; undefined if they were checked before
 * @throws ProcError `invalid_usage`
 */
export function tunedBy(
  tune: readonly string[],
  keys?: readonly string[],
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const pair of tune.flatMap((text) => text.split(','))) {
    const [, key = pair, value = ''] = /^\s*([^=]*?)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    if (keys?.includes(key) === false || value === '') {
      const expected = (keys ?? []).map((one) => `${one}=…`).join(', ');
      const near = nearest(key, keys ?? []);
      throw new ProcError('invalid_usage', `--tune must be one of ${expected}, got ${show(pair)}`, {
        hint: near === undefined ? 'Use e.g. --tune settle=30s' : `Did you mean --tune ${near}=…?`,
      });
    }
    const earlier = values.get(key);
    if (earlier !== undefined && earlier !== value) {
      throw new ProcError(
        'invalid_usage',
        `--tune: ${key} is given twice: ${earlier} and ${value}`,
      );
    }
    values.set(key, value);
  }
  return values;
}

function timeOf(tuned: ReadonlyMap<string, string>, key: string): number | undefined {
  const text = tuned.get(key);
  if (text === undefined) return undefined;
  const ms = readTimeLimit(text);
  if (ms !== undefined) return ms;
  throw new ProcError(
    'invalid_usage',
    `--tune ${key}=${text}: expected a time such as 30s, 500ms or 5m`,
  );
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

/** @throws ProcError `invalid_usage` */
export function choicesOf(flags: ImportFlags): Choices {
  mostOf(flags.maxRejected, 0);
  return {
    onExisting: flags.onExisting ?? 'skip',
    onDuplicate: flags.onDuplicate,
    maxCreate: flags.maxCreate,
    maxRejected: flags.maxRejected,
    onSent: flags.onSent,
    tune: flags.tune.length === 0 ? undefined : flags.tune,
    rate: flags.rate,
  };
}
