import type { SqlValue } from '../ledger/sql.ts';
import type { EntryState } from './entry.ts';

export interface EntryFilter {
  readonly noun?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly state?: EntryState | undefined;
  readonly profile?: string | undefined;
  readonly environment?: string | undefined;
  readonly organization?: string | undefined;
  readonly limit?: number | undefined;
  readonly isOldestFirst?: boolean;
}

export function conditionOf(filter: EntryFilter): { sql: string; values: SqlValue[] } {
  const { noun, since, state, profile, environment, organization } = filter;
  const conditions = ['is_forgotten = 0'];
  const values: SqlValue[] = [];
  const add = (sql: string, ...given: SqlValue[]): void => {
    conditions.push(sql);
    values.push(...given);
  };
  if (noun !== undefined) add('noun = ?', noun);
  if (since !== undefined) add('at >= ?', since);
  if (profile !== undefined) add('profile = ?', profile);
  if (environment !== undefined) add('environment = ?', environment);
  if (organization !== undefined) add('organization = ?', organization);
  if (state === 'unknown') add("state IN ('unknown', 'pending')");
  else if (state !== undefined) add('state = ?', state);
  return { sql: `WHERE ${conditions.join(' AND ')}`, values };
}
