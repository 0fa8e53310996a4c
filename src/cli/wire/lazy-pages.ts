import type { Pages } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';

export function lazyPages(load: () => Promise<Pages>): Pages {
  let pages: Pages | undefined;
  async function* rows(): AsyncGenerator<readonly Row[]> {
    pages = await load();
    yield* pages.rows;
  }
  return {
    rows: rows(),
    complete: () => pages?.complete() ?? false,
    isCut: () => pages?.isCut() ?? false,
    failure: () => pages?.failure(),
  };
}
