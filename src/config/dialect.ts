import { type ErrorCode, ProcError } from '../core/errors.ts';
import type { Dialect } from '../core/service-target.ts';
import { show } from '../core/validate.ts';

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

/** `limit=pageSize`, `items.limit=max` */
const PAIR = new RegExp(
  `^(?:(${OVERRIDABLE.join('|')})\\.)?(${DIALECT_KEYS.join('|')})\\s*=\\s*(.+)$`,
  's',
);

/** Values that are not free, with what is said about others. */
const VALUES: Readonly<Record<string, readonly [RegExp, string]>> = {
  paging: [/^(bounded|none)$/, 'paging must be bounded or none'],
  pageBase: [/^\d{1,9}$/, 'pageBase must be a whole number'],
  sectorValue: [/^(id|key|name)$/, 'sectorValue must be one of id, key, name'],
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
  for (const pair of text.split(',').map((part) => part.trim())) {
    if (pair === '') continue;
    const [, noun, key = '', value = ''] = PAIR.exec(pair) ?? [];
    const [pattern, expected] = VALUES[key] ?? [/./s, `${key} must be a name`];
    if (!pattern.test(value)) {
      const says =
        key === '' ? `${show(pair)} is not understood` : `${expected}, got ${show(value)}`;
      throw new ProcError(code, `${where}: ${says}`, {
        hint: `Use e.g. limit=pageSize,offset=skip,items.limit=max. Names: ${DIALECT_KEYS.join(', ')}`,
      });
    }
    const read = key === 'pageBase' ? Number(value) : value;
    if (noun === undefined) all[key] = read;
    else byNoun[noun] = { ...byNoun[noun], [key]: read };
  }
  return { all, byNoun };
}

export function dialectFor(settings: DialectSettings, noun: string): Dialect {
  return { ...DEFAULT_DIALECT, ...settings.all, ...settings.byNoun[noun] };
}
