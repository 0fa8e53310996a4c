import { type AnyInput, type EndpointSpec, nounOf } from '../core/endpoint.ts';
import type { Target } from '../core/service-target.ts';

export function isWholeList(spec: EndpointSpec, target: Pick<Target, 'dialect'>): boolean {
  return spec.query !== undefined && target.dialect(nounOf(spec)).paging === 'none';
}

/** If the service always returns the whole list, cuts the requested part out of it. */
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
