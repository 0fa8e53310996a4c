import { ProcError } from '../core/errors.ts';
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

export const DIALECT_KEYS = [
  'paging',
  'limit',
  'offset',
  'page',
  'pageBase',
  'sort',
  'dir',
  'sectorValue',
] as const;

/** Nouns whose lists take parameters, so that settings may override their dialect. */
export const OVERRIDABLE = ['orders', 'items'] as const;

export interface DialectSettings {
  readonly all: Partial<Dialect>;
  readonly byNoun: Readonly<Record<string, Partial<Dialect>>>;
}

/**
 * Parses `PROC_LIST_NAMES`, or the setting of an environment.
 *
 * @param where the place named in errors, e.g. `PROC_LIST_NAMES`
 */
export function parseDialect(text: string, where: string): DialectSettings {
  const all: Record<string, unknown> = {};
  const byNoun: Record<string, Record<string, unknown>> = {};
  for (const pair of text.split(',').map((part) => part.trim())) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = pair.slice(0, equals).trim();
    const value = pair.slice(equals + 1).trim();
    if (equals < 1 || value === '') {
      throw new ProcError('invalid_setting', `${where}: "${pair}" is not of the form name=value`, {
        hint: 'Use e.g. limit=pageSize,offset=skip,items.limit=max',
      });
    }
    const dot = name.indexOf('.');
    const noun = dot < 0 ? undefined : name.slice(0, dot);
    const key = name.slice(dot + 1);
    if (noun !== undefined && !(OVERRIDABLE as readonly string[]).includes(noun)) {
      throw new ProcError('invalid_setting', `${where}: "${noun}" cannot have its own names`, {
        hint: `Overrides are possible for: ${OVERRIDABLE.join(', ')}`,
      });
    }
    if (!(DIALECT_KEYS as readonly string[]).includes(key)) {
      const near = nearest(key, DIALECT_KEYS);
      throw new ProcError('invalid_setting', `${where}: unknown name "${key}"`, {
        hint:
          near === undefined ? `Use one of: ${DIALECT_KEYS.join(', ')}` : `Did you mean "${near}"?`,
      });
    }
    if (noun !== undefined) byNoun[noun] ??= {};
    const target = noun === undefined ? all : byNoun[noun]!;
    target[key] = dialectValue(key, value, where);
  }
  return { all, byNoun };
}

function dialectValue(key: string, value: string, where: string): unknown {
  if (key === 'pageBase') {
    if (!/^\d{1,9}$/.test(value)) {
      throw new ProcError(
        'invalid_setting',
        `${where}: pageBase must be a whole number, got "${value}"`,
      );
    }
    return Number(value);
  }
  if (key === 'paging' && !['bounded', 'none'].includes(value)) {
    throw new ProcError(
      'invalid_setting',
      `${where}: paging must be bounded or none, got "${value}"`,
      {
        hint: 'none: the service returns each list in one piece and has no paging parameters',
      },
    );
  }
  if (key === 'sectorValue' && !['id', 'key', 'name'].includes(value)) {
    throw new ProcError(
      'invalid_setting',
      `${where}: sectorValue must be one of id, key, name, got "${value}"`,
    );
  }
  return value;
}

export function dialectFor(settings: DialectSettings, noun: string): Dialect {
  return { ...DEFAULT_DIALECT, ...settings.all, ...settings.byNoun[noun] };
}
