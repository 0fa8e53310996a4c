import type { CommandSpec, FlagSpec, FlagValues } from '../../core/command-spec.ts';
import { GLOBAL_FLAGS, type GlobalFlags } from '../../core/global-flags.ts';
import type { Env } from '../../core/ports.ts';
import { requestLimits } from '../../settings/read/request-limits.ts';

export const SOURCE_WHERE = {
  ...GLOBAL_FLAGS.where,
  doc: 'import rows that meet all conditions',
} as const satisfies FlagSpec;

/**
 * Reads `PROC_TIMEOUT` and `PROC_RETRIES` for flags that are not given. Names of profiles and
 * environments become NFC, the form in which they are stored.
 */
export function globalFlags(
  values: FlagValues<typeof GLOBAL_FLAGS>,
  env: Env,
  spec: Pick<CommandSpec, 'toleratesSettings' | 'defaultDeadlineMs'> = {},
): GlobalFlags {
  const { timeout, retries, deadline, fields, ...rest } = values;
  return {
    ...rest,
    profile: rest.profile?.normalize('NFC'),
    env: rest.env?.normalize('NFC'),
    ...requestLimits({ timeout, retries }, env, spec.toleratesSettings),
    deadlineMs: deadline ?? spec.defaultDeadlineMs,
    fields: fields?.split(',').map((field) => field.trim()),
  };
}
