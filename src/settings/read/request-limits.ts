import { ProcError } from '../../core/errors.ts';
import type { Env, GlobalFlags } from '../../core/ports.ts';
import { durationText, readTimeLimit } from '../../core/time/duration.ts';
import { show } from '../../core/validate.ts';
import { type Sourced, sourced } from './setting-origin.ts';

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 2;
export const MOST_RETRIES = 100;

export type RequestLimits = Pick<
  GlobalFlags,
  'timeoutMs' | 'timeoutFrom' | 'retries' | 'retriesFrom'
>;

/**
 * Precedence: flag, variable, default. An empty variable counts as unset.
 *
 * @param tolerates if true, an invalid variable counts as unset
 * @throws ProcError `invalid_setting`
 */
export function requestLimits(
  flags: { readonly timeout: number | undefined; readonly retries: number | undefined },
  { PROC_TIMEOUT, PROC_RETRIES }: Env,
  tolerates = false,
): RequestLimits {
  const invalid = (name: string, text: string, expected: string): undefined => {
    if (tolerates) return undefined;
    throw new ProcError('invalid_setting', `${name}: expected ${expected}, got ${show(text)}`, {
      hint: `Correct ${name}, or unset it`,
    });
  };
  const timeout = (): number | undefined => {
    if (!PROC_TIMEOUT) return undefined;
    return (
      readTimeLimit(PROC_TIMEOUT) ??
      invalid('PROC_TIMEOUT', PROC_TIMEOUT, 'a time such as 30s, 500ms or 5m')
    );
  };
  const retries = (): number | undefined => {
    if (!PROC_RETRIES) return undefined;
    if (/^\d{1,3}$/.test(PROC_RETRIES) && Number(PROC_RETRIES) <= MOST_RETRIES) {
      return Number(PROC_RETRIES);
    }
    return invalid('PROC_RETRIES', PROC_RETRIES, `a whole number, 0 to ${MOST_RETRIES}`);
  };
  const fromTime = flags.timeout === undefined ? timeout() : undefined;
  const fromRetries = flags.retries === undefined ? retries() : undefined;
  return {
    timeoutMs: flags.timeout ?? fromTime ?? DEFAULT_TIMEOUT_MS,
    timeoutFrom: originOf(flags.timeout, fromTime),
    retries: flags.retries ?? fromRetries ?? DEFAULT_RETRIES,
    retriesFrom: originOf(flags.retries, fromRetries),
  };
}

function originOf(
  flag: number | undefined,
  variable: number | undefined,
): 'flag' | 'variable' | undefined {
  if (flag !== undefined) return 'flag';
  return variable === undefined ? undefined : 'variable';
}

export function sourcedLimits(limits: RequestLimits): {
  readonly timeout: Sourced<string>;
  readonly retries: Sourced<number>;
} {
  const from = <T>(value: T, origin: 'flag' | 'variable' | undefined, name: string) =>
    origin === undefined
      ? sourced(value, 'default')
      : sourced(value, origin, origin === 'flag' ? `--${name}` : `PROC_${name.toUpperCase()}`);
  return {
    timeout: from(durationText(limits.timeoutMs), limits.timeoutFrom, 'timeout'),
    retries: from(limits.retries, limits.retriesFrom, 'retries'),
  };
}
