import type { Column, Row } from '../../../core/result.ts';
import { parseBaseUrl } from '../../base-url.ts';
import { storedEnvironment } from '../../edits.ts';
import { type Config, ENVIRONMENT_KEYS, SETTINGS } from '../../keys.ts';
import { environmentNames } from '../../names.ts';

/** The environment that a profile uses if nothing names one. Null if there is no default. */
export function defaultOf(config: Config, profile: string): string | null {
  const names = environmentNames(config, profile);
  return config.profiles?.[profile]?.defaultEnvironment ?? (names.length === 1 ? names[0]! : null);
}

export function environmentResult(config: Config, profile: string, name: string) {
  const value = { profile, ...environmentRow(config, profile, name) };
  return { kind: 'record', value, idField: 'profile' } as const;
}

/** The columns of {@link environmentRow} in a table. */
export const ENVIRONMENT_COLUMNS: readonly Column[] = [
  { key: 'environment', header: 'ENVIRONMENT', priority: 3 },
  ...ENVIRONMENT_KEYS.flatMap((key) => {
    const { column } = SETTINGS[key];
    return column === undefined ? [] : [{ key, ...column }];
  }),
];

export function environmentRow(config: Config, profile: string, name: string): Row {
  const { settings } = storedEnvironment(config, profile, name);
  const url = parseBaseUrl(settings.baseUrl, `baseUrl of ${profile}/${name}`);
  const shown = ENVIRONMENT_KEYS.flatMap((key) => {
    const value = SETTINGS[key].show?.(settings[key], { ...settings, url });
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    environment: name,
    ...Object.fromEntries(shown),
  };
}
