import { ProcError } from '../core/errors.ts';
import { GLOBAL_FLAGS, type RequestLimits } from '../core/global-flags.ts';
import type { Env } from '../core/ports.ts';
import { readTimeLimit } from '../core/time/duration.ts';
import { show } from '../core/validate.ts';

type Limit = 'timeout' | 'retries';

const MOST_RETRIES = GLOBAL_FLAGS.retries.max;

/** How the variable of a limit is read, and what holds without it. */
const LIMITS = {
  timeout: { byDefault: 30_000, expected: 'a time such as 30s, 500ms or 5m', read: readTimeLimit },
  retries: {
    byDefault: 2,
    expected: `a whole number, 0 to ${MOST_RETRIES}`,
    read: (text: string) =>
      /^\d{1,3}$/.test(text) && Number(text) <= MOST_RETRIES ? Number(text) : undefined,
  },
} as const;

/**
 * Precedence: flag, variable, default. An empty variable counts as unset.
 *
 * @param tolerates if true, an invalid variable counts as unset
 * @throws ProcError `invalid_setting`
 */
export function requestLimits(
  flags: { readonly [K in Limit]?: number | undefined },
  env: Env,
  tolerates = false,
): RequestLimits {
  return {
    timeoutMs: limitOf('timeout', flags, env, tolerates),
    retries: limitOf('retries', flags, env, tolerates),
  };
}

function limitOf(
  key: Limit,
  flags: { readonly [K in Limit]?: number | undefined },
  env: Env,
  tolerates: boolean,
): number {
  const flag = flags[key];
  if (flag !== undefined) return flag;
  const { byDefault, expected, read } = LIMITS[key];
  const { variable } = GLOBAL_FLAGS[key];
  const text = env[variable];
  const value = text ? read(text) : undefined;
  if (value !== undefined) return value;
  if (!text || tolerates) return byDefault;
  throw new ProcError('invalid_setting', `${variable}: expected ${expected}, got ${show(text)}`, {
    hint: `Correct ${variable}, or unset it`,
  });
}
