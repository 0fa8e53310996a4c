import type { Pages } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import type { Row } from '../../core/result.ts';
import type { PageWalk } from '../../listing/page-walk.ts';

interface LazyPorts {
  /** The service sends the list whole, in one answer. */
  isWhole(): Promise<boolean>;
  /** Loaded when the first row is asked for. */
  walk(): Promise<typeof PageWalk>;
  read(query: Row): Promise<readonly Row[]>;
}

/** A list page by page: `limit` and `offset` of the query are where the walk begins. */
export function lazyPages({ limit, offset, ...rest }: Row, ports: LazyPorts): Pages {
  let complete = () => false;
  let why: string | undefined;
  async function* rows(): AsyncGenerator<readonly Row[]> {
    if (await ports.isWhole()) {
      const whole = await ports.read(rest);
      complete = () => true;
      yield whole.slice(Number(offset ?? 0));
      return;
    }
    const Walk = await ports.walk();
    const walk = new Walk(
      (query) => ports.read(query === undefined ? {} : { ...query, ...rest }),
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
