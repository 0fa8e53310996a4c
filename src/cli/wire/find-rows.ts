import type { FoundRows, Pages } from '../../core/command.ts';
import type { EndpointSpec } from '../../core/endpoint.ts';
import type { Say, Target } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import { findByCode, isLong } from '../../listing/find-rows.ts';

interface FindPorts {
  read(spec: EndpointSpec, query: Row): Promise<readonly Row[]>;
  pages(spec: EndpointSpec, query: Row): Pages;
  target(): Promise<Target>;
  readonly say: Say;
}

/** All rows of a list whose field is exactly this: by search where its order can be trusted. */
export async function findRows(
  spec: EndpointSpec,
  field: string,
  value: string,
  { read, pages, target, say }: FindPorts,
): Promise<FoundRows> {
  // A short list is read whole in fewer requests than its order can be tested with.
  if (field === 'code' && (await isLong(spec, read))) {
    const found = await findByCode(spec, value, await target(), read);
    if (found !== undefined) return { rows: found, isProved: true };
  }
  const found: Row[] = [];
  const walk = pages(spec, { sort: 'code', dir: 'asc' });
  for await (const rows of walk.rows) found.push(...rows.filter((row) => row[field] === value));
  const failure = walk.failure();
  if (failure !== undefined) say({ kind: 'warning', text: failure.message });
  return { rows: found, isProved: walk.complete() };
}
