import { type ErrorCode, ProcError } from '../core/errors.ts';
import type { Dialect } from '../core/service-target.ts';
import { nearest } from '../core/text/nearest.ts';

export const DEFAULT_DIALECT: Dialect = {
  paging: 'bounded',
  limit: 'limit',
  offset: 'offset',
  page: undefined,
  pageBase: 1,
  sort: 'sort',
  dir: 'dir',
  sectorValue: 'key',
};

export const DIALECT_KEYS = Object.keys(DEFAULT_DIALECT) as readonly (keyof Dialect)[];

/** Nouns whose lists take parameters, so that settings may override their dialect. */
export const OVERRIDABLE = ['orders', 'items'] as const;

export interface DialectSettings {
  readonly all: Partial<Dialect>;
  readonly byNoun: Readonly<Record<string, Partial<Dialect>>>;
}

/** Values that are not free, with what is said about others. */
const VALUES: Readonly<Record<string, readonly [RegExp, string]>> = {
  paging: [/^(bounded|none)$/, 'bounded, or none if the service returns each list in one piece'],
  pageBase: [/^\d{1,9}$/, 'a whole number'],
  sectorValue: [/^(id|key|name)$/, 'one of id, key, name'],
};

/**
 * Parses `PROC_LIST_NAMES`, or the setting of an environment.
 *
 * @param where the place named in errors, e.g. `PROC_LIST_NAMES`
 * @param code `invalid_usage` for names that were just typed
 */
export function parseDialect(
  text: string,
  where: string,
  code: ErrorCode = 'invalid_setting',
): DialectSettings {
  const all: Record<string, unknown> = {};
  const byNoun: Record<string, Record<string, unknown>> = {};
  const refuse = (says: string, hint?: string): never => {
    throw new ProcError(code, `${where}: ${says}`, { hint });
  };
  for (const pair of text.split(',').map((part) => part.trim())) {
    if (pair === '') continue;
    const {
      noun,
      key = '',
      value = '',
    } = /^(?:(?<noun>[^.=]*)\.)?(?<key>[^=]+?)\s*=\s*(?<value>.+)$/s.exec(pair)?.groups ?? {};
    if (value === '') {
      const hint = 'Use e.g. limit=pageSize,offset=skip,items.limit=max';
      refuse(`"${pair}" is not of the form name=value`, hint);
    }
    if (noun !== undefined && !(OVERRIDABLE as readonly string[]).includes(noun)) {
      const hint = `Overrides are possible for: ${OVERRIDABLE.join(', ')}`;
      refuse(`"${noun}" cannot have its own names`, hint);
    }
    if (!(DIALECT_KEYS as readonly string[]).includes(key)) {
      const near = nearest(key, DIALECT_KEYS);
      refuse(
        `unknown name "${key}"`,
        near === undefined ? `Use one of: ${DIALECT_KEYS.join(', ')}` : `Did you mean "${near}"?`,
      );
    }
    const [pattern, expected] = VALUES[key] ?? [/./s, ''];
    if (!pattern.test(value)) refuse(`${key} must be ${expected}, got "${value}"`);
    const read = key === 'pageBase' ? Number(value) : value;
    if (noun === undefined) all[key] = read;
    else byNoun[noun] = { ...byNoun[noun], [key]: read };
  }
  return { all, byNoun };
}

export function dialectFor(settings: DialectSettings, noun: string): Dialect {
  return { ...DEFAULT_DIALECT, ...settings.all, ...settings.byNoun[noun] };
}
