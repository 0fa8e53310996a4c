import { ProcError } from '../../core/errors.ts';
import { GLOBAL_FLAGS, OUTPUT_FORMATS, type OutputFormat } from '../../core/global-flags.ts';
import type { Env } from '../../core/ports.ts';
import { nearest } from '../../core/text/nearest.ts';
import { show } from '../../core/validate.ts';
import { type Config, PREFERENCES, type PreferenceKey } from '../keys.ts';
import { configFile } from './paths.ts';
import { first, type Sourced, sourced } from './setting-origin.ts';

export interface PreferenceSources {
  readonly flags: { readonly [K in PreferenceKey]?: string | undefined };
  readonly env: Env;
  readonly config: Config;
}

/** Precedence: flag, variable, configuration; each only for keys that may stand there. */
export function preference(
  key: PreferenceKey,
  { flags, env, config }: PreferenceSources,
): Sourced<string> | undefined {
  const { inConfig } = PREFERENCES[key];
  const { variable } = GLOBAL_FLAGS[key];
  return first(
    [flags[key], 'flag', `--${key}`],
    [env[variable], 'variable', variable],
    [inConfig ? (config[key] as string | undefined) : undefined, 'config', configFile(env)],
  );
}

/**
 * If undefined: a table on a terminal, JSON elsewhere.
 *
 * @throws ProcError `invalid_setting`
 */
export function outputFormat(sources: PreferenceSources): Sourced<OutputFormat | undefined> {
  const output = preference('output', sources);
  return output === undefined
    ? sourced(undefined, 'default')
    : checked('output', OUTPUT_FORMATS, output);
}

function checked<const T extends string>(
  key: PreferenceKey,
  choices: readonly T[],
  { value, origin, place }: Sourced<string>,
): Sourced<T> {
  return sourced(
    oneOf(choices, value, origin === 'config' ? `${key} in ${place}` : place),
    origin,
    place,
  );
}

/**
 * The output format from the configuration. Undefined if it cannot be read,
 * because commands that repair the settings must still work.
 */
export function outputInFiles(read: () => PreferenceSources): string | undefined {
  try {
    return preference('output', { ...read(), flags: {}, env: {} })?.value;
  } catch (thrown) {
    if (thrown instanceof ProcError) return undefined;
    throw thrown;
  }
}

/** @throws ProcError `invalid_setting` */
export function oneOf<const T extends string>(
  choices: readonly T[],
  value: string,
  where: string,
): T {
  const chosen = choices.find((choice) => choice === value);
  if (chosen !== undefined) return chosen;
  const near = nearest(value, choices);
  const message = `${where}: must be one of ${choices.join(', ')}, got ${show(value)}`;
  throw new ProcError('invalid_setting', message, {
    hint: near === undefined ? undefined : `Did you mean "${near}"?`,
  });
}
