import type { FoundRows, Pages } from '../core/command.ts';
import type { EndpointSpec } from '../core/endpoint.ts';
import type { Say } from '../core/ports.ts';
import type { Row } from '../core/result.ts';
import type { ListSource } from './listing.ts';
import { searchCodes } from './search-codes.ts';

interface FindPorts {
  source(): Promise<ListSource>;
  pages(spec: EndpointSpec, query: Row): Pages;
  readonly say: Say;
}

/** All rows of a list whose field is exactly this: by search where its order can be trusted. */
export async function findRows(
  spec: EndpointSpec,
  field: string,
  value: string,
  { source, pages, say }: FindPorts,
): Promise<FoundRows> {
  const searched =
    field === 'code' ? await searchCodes(spec, new Set([value]), await source()) : undefined;
  if (searched !== undefined) return { rows: searched, isProved: true };
  const found: Row[] = [];
  const walk = pages(spec, { sort: 'code', dir: 'asc' });
  for await (const rows of walk.rows) found.push(...rows.filter((row) => row[field] === value));
  const failure = walk.failure();
  if (failure !== undefined) say({ kind: 'warning', text: failure.message });
  return { rows: found, isProved: walk.complete() };
}
