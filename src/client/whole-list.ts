import { type AnyInput, type EndpointSpec, nounOf } from '../core/endpoint.ts';
import type { Target } from '../core/service-target.ts';

/** Whether each answer of this list is all of it (the dialect's `paging=none`). */
export function isWholeList(spec: EndpointSpec, target: Pick<Target, 'dialect'>): boolean {
  return spec.query !== undefined && target.dialect(nounOf(spec)).paging === 'none';
}

/** The rows that were asked for: a service that sends each list whole cannot be asked for some. */
export function rowsAskedFor(
  value: unknown,
  spec: EndpointSpec,
  { query = {} }: AnyInput,
  target: Pick<Target, 'dialect'>,
): unknown {
  const { limit, offset = 0 } = query as { limit?: number; offset?: number };
  if (limit === undefined && offset === 0) return value;
  if (!Array.isArray(value) || !isWholeList(spec, target)) return value;
  return value.slice(offset, limit === undefined ? undefined : offset + limit);
}
