import type { EndpointSpec } from '../../../core/endpoint.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Column, Result, Row } from '../../../core/result.ts';
import { NearRows, sentence } from '../../../listing/near-rows.ts';
import { nearText } from '../../../messages/problems.ts';

interface Finding {
  readonly list: EndpointSpec;
  readonly noun: string;
  readonly fields: readonly string[];
  readonly columns: readonly Column[];
}

/** The rows that have the text in one of the fields, whatever its case. Reads the whole list. */
export function findRows(
  ports: Ports<'api'>,
  { list, noun, fields, columns }: Finding,
  text: string,
): Promise<Result> {
  const wanted = text.toLowerCase();
  const near = new NearRows(noun);
  const isMatch = (row: Row) =>
    fields.some((field) => {
      const value = row[field];
      return typeof value === 'string' && value.toLowerCase().includes(wanted);
    });
  return ports.api.list(list, { sort: 'code', dir: 'asc' }, (pages) => ({
    kind: 'rows',
    ...{ noun, columns, rows: matching(pages.rows, near, isMatch) },
    empty: () => {
      const nearest = near.describe(text, pages.complete() ? 'whole' : 'part');
      return `No ${noun} with ${JSON.stringify(text)} in their ${fields.join(' or ')}. ${nearest === undefined ? '' : sentence(nearText(nearest))}`;
    },
    ...{ isCut: pages.isCut, failure: pages.failure },
  }));
}

async function* matching(
  batches: AsyncIterable<readonly Row[]>,
  near: NearRows,
  isMatch: (row: Row) => boolean,
): AsyncGenerator<readonly Row[]> {
  for await (const batch of batches) {
    near.add(batch);
    yield batch.filter(isMatch);
  }
}
