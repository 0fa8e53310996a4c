import type { FlagSpecs, FlagValues } from '../../core/command-spec.ts';
import { type EndpointSpec, nounOf } from '../../core/endpoint.ts';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Column, Row, RowFilter, RowsResult, ShownRequest } from '../../core/result.ts';
import { MAX_PAGE } from '../../listing/list-reader.ts';

/** Paging and sorting flags of a list. `sort` offers the fields that its endpoint documents. */
export function listFlags<const Fields extends readonly string[]>(sortFields: Fields) {
  return {
    limit: {
      kind: 'integer',
      min: 0,
      value: 'n',
      doc: 'print at most this many rows',
    },
    pageSize: {
      kind: 'integer',
      min: 1,
      max: MAX_PAGE,
      value: 'n',
      doc: 'request this many rows at once',
    },
    offset: { kind: 'integer', min: 0, value: 'n', doc: 'skip this many rows' },
    sort: { kind: 'choice', choices: sortFields, value: 'field', doc: 'sort field' },
    dir: {
      kind: 'choice',
      choices: ['asc', 'desc'],
      value: 'direction',
      doc: 'sort direction',
    },
    all: { kind: 'boolean', doc: 'read all pages' },
  } as const satisfies FlagSpecs;
}

type ListFlags = FlagValues<ReturnType<typeof listFlags<readonly string[]>>>;

interface ListView {
  readonly columns: readonly Column[];
  /** Plural name of the rows: `orders`. */
  readonly noun: string;
  /** The default sort field if proc reads several pages. Without a sort, rows may move between pages. */
  readonly stableSort: string;
  readonly filter?: RowFilter | undefined;
}

/** Sends one request, or reads page by page if the flags need it, e.g. `--all`. */
export async function listRows(
  ports: Ports<'io' | 'api' | 'self'>,
  spec: EndpointSpec,
  flags: ListFlags,
  view: ListView,
): Promise<RowsResult | ShownRequest> {
  const { limit, pageSize, offset, sort, dir } = flags;
  const list = {
    kind: 'rows',
    columns: view.columns,
    fields: fieldsOf(spec),
    empty: `No ${view.noun}.`,
    limit,
    filter: view.filter,
  } as const;
  // With --offset or --page-size, filters and --order-by do not read other pages.
  const isOnePage = offset !== undefined || pageSize !== undefined;
  const { where, orderBy } = ports.self.flags;
  const needsAll = where.length > 0 || orderBy !== undefined || view.filter !== undefined;
  if (flags.all || (needsAll && !isOnePage) || (limit ?? 0) > MAX_PAGE) {
    if (limit === 0)
      throw new ProcError(
        'invalid_usage',
        '--limit 0 cannot be combined with reading the whole list',
        {
          hint: 'Remove --limit, or use 1 or more',
        },
      );
    const query = { limit: pageSize, offset, sort: sort ?? view.stableSort, dir: dir ?? 'asc' };
    return ports.api.list(spec, query, (pages) => ({
      ...list,
      rows: pages.rows,
      failure: () => pages.failure(),
    }));
  }
  const asked = pageSize ?? limit;
  return ports.api.read(spec, { query: { limit: asked, offset, sort, dir } }, async (response) => {
    const rows = response as readonly Row[];
    if (asked !== undefined && asked > 0 && rows.length > asked) {
      ports.io.say({
        kind: 'warning',
        text: `the service returned ${rows.length} rows instead of ${asked}: it ignores the limit parameter. Detect the parameter names: proc doctor --learn`,
      });
    }
    const { paging } = (await ports.api.target()).dialect(nounOf(spec));
    const isShort = asked !== undefined && rows.length < asked;
    return {
      ...list,
      rows,
      footnote: (count) =>
        count === 0 || isShort || paging === 'none'
          ? undefined
          : `There may be more ${view.noun}. To read them all, add --all.`,
    };
  });
}

function fieldsOf({ response }: EndpointSpec): readonly string[] {
  return 'schema' in response ? Object.keys(response.schema.shape) : [];
}
