import { type EndpointSpec, nounOf } from '../../core/endpoint.ts';
import type { Dialect } from '../../core/service-target.ts';
import { check } from '../../core/validate.ts';
import type { Habits } from '../faults/behaviour.ts';
import { badField, Problem } from '../server/problem.ts';

const DEFAULT_LIMIT = 20;

export interface ListQuery {
  /** Undefined for all rows. */
  readonly limit: number | undefined;
  readonly offset: number;
  readonly sort: string | undefined;
  readonly dir: 'asc' | 'desc';
}

/** Parses a query string; throws Problem 400. */
export type QueryReader = (search: string) => ListQuery;

type Canonical = 'limit' | 'offset' | 'page' | 'sort' | 'dir';

const INTEGERS: readonly Canonical[] = ['limit', 'offset', 'page'];

export function queryReader(spec: EndpointSpec, habits: Habits): QueryReader {
  const schema = spec.query;
  const dialect = habits.dialect(nounOf(spec));
  const names = new Map<string, Canonical>();
  if (schema !== undefined) {
    names.set(dialect.sort, 'sort').set(dialect.dir, 'dir');
    if (dialect.paging === 'bounded') {
      names.set(dialect.limit, 'limit');
      names.set(dialect.page ?? dialect.offset, dialect.page === undefined ? 'offset' : 'page');
    }
  }
  return (search) => {
    const given = collect(search, names, habits);
    const { page, ...rest } = given;
    if (schema !== undefined) checkValues(schema, rest, dialect);
    const limit =
      dialect.paging === 'none'
        ? undefined
        : ((given.limit as number | undefined) ?? DEFAULT_LIMIT);
    const offset =
      page === undefined
        ? ((given.offset as number | undefined) ?? 0)
        : pageIndex(page, dialect.page!, dialect.pageBase) * (limit ?? 0);
    return {
      limit,
      offset,
      sort: given.sort as string | undefined,
      dir: (given.dir as 'asc' | 'desc' | undefined) ?? 'asc',
    };
  };
}

type Given = Partial<Record<Canonical, string | number>>;

function collect(search: string, names: ReadonlyMap<string, Canonical>, habits: Habits): Given {
  const given: Given = {};
  if (search === '') return given;
  for (const [wire, value] of new URLSearchParams(search)) {
    const name = names.get(wire);
    if (name === undefined) {
      if (habits.unknown === 'refuse') throw badField(wire, 'is not a parameter of this endpoint');
      continue;
    }
    if (given[name] !== undefined) {
      if (habits.repeated === 'refuse') throw badField(wire, 'is given twice');
      if (habits.repeated === 'first') continue;
    }
    if (value === '' && habits.empty !== 'refuse') {
      if (habits.empty === 'zero' && INTEGERS.includes(name)) given[name] = 0;
      continue;
    }
    // A value that is not an integer stays text: the schema refuses it and quotes it in the message.
    given[name] = INTEGERS.includes(name) && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  }
  return given;
}

function checkValues(
  schema: NonNullable<EndpointSpec['query']>,
  values: Given,
  dialect: Dialect,
): void {
  const { issues } = check(schema, values);
  if (issues.length === 0) return;
  const named = issues.map(({ field, message }) => ({
    field: String(dialect[field as keyof Dialect]),
    message,
  }));
  throw new Problem(400, named.map((issue) => `${issue.field} ${issue.message}`).join('; '), named);
}

function pageIndex(page: string | number, name: string, base: number): number {
  if (typeof page === 'number' && page >= base) return page - base;
  throw badField(name, `must be a whole number, at least ${base}, got ${JSON.stringify(page)}`);
}
