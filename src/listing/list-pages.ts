import type { EndpointSpec } from '../core/endpoint.ts';
import { ProcError } from '../core/errors.ts';
import type { Pages } from '../core/ports.ts';
import type { Row } from '../core/result.ts';
import { ListReader, type ListSource } from './list-reader.ts';
import { PageWalk } from './page-walk.ts';

/**
 * A list page by page to its end: `limit` and `offset` of the query are where it begins and how many
 * rows each page asks for. Nothing is read before the first row is wanted.
 */
export function listPages(
  spec: EndpointSpec,
  { limit, offset, ...rest }: Row,
  source: () => Promise<ListSource>,
): Pages {
  let complete = () => false;
  let why: string | undefined;
  async function* rows(): AsyncGenerator<readonly Row[]> {
    const reader = new ListReader(spec, await source());
    if (reader.isWhole) {
      const whole = await reader.rows({}, rest);
      complete = () => true;
      yield whole.slice(Number(offset ?? 0));
      return;
    }
    const walk = new PageWalk(
      (query) => {
        if (query === undefined) return reader.rows({}, {});
        const { pageIndex: index, ...part } = query;
        return reader.rows({ ...part, index }, rest);
      },
      ({ text }) => {
        why = text;
      },
      limit as number | undefined,
      offset as number | undefined,
    );
    complete = () => walk.complete();
    yield* walk.rows();
  }
  return {
    rows: rows(),
    complete: () => complete(),
    failure: () => (why === undefined ? undefined : new ProcError('incomplete', why)),
  };
}
