import type { EndpointSpec } from '../../core/endpoint.ts';
import { check } from '../../core/validate.ts';
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

const NAMES = ['limit', 'offset', 'sort', 'dir'] as const;
type Name = (typeof NAMES)[number];

const INTEGERS: readonly Name[] = ['limit', 'offset'];

export function queryReader({ query: schema }: EndpointSpec): QueryReader {
  return (search) => {
    const given = schema === undefined ? {} : collect(search);
    if (schema !== undefined) checkValues(schema, given);
    return {
      limit: (given.limit as number | undefined) ?? DEFAULT_LIMIT,
      offset: (given.offset as number | undefined) ?? 0,
      sort: given.sort as string | undefined,
      dir: (given.dir as 'asc' | 'desc' | undefined) ?? 'asc',
    };
  };
}

type Given = Partial<Record<Name, string | number>>;

function collect(search: string): Given {
  const given: Given = {};
  for (const [wire, value] of new URLSearchParams(search)) {
    const name = NAMES.find((one) => one === wire);
    if (name === undefined) continue;
    if (given[name] !== undefined) throw badField(name, 'is given twice');
    // A value that is not an integer stays text: the schema refuses it and quotes it in the message.
    const isInteger = INTEGERS.includes(name) && /^-?\d{1,15}$/.test(value);
    given[name] = isInteger ? Number(value) : value;
  }
  return given;
}

function checkValues(schema: NonNullable<EndpointSpec['query']>, values: Given): void {
  const { issues } = check(schema, values);
  if (issues.length === 0) return;
  throw new Problem(
    400,
    issues.map(({ field, message }) => `${field} ${message}`).join('; '),
    issues,
  );
}
