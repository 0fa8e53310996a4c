import type { Context, FlagSpecs, FlagValues } from '../core/command.ts';
import type { EndpointSpec } from '../core/endpoint.ts';
import { ProcError } from '../core/errors.ts';
import type { Column, RowsResult } from '../core/result.ts';

/** The flags of a list with paging and sorting; `sort` offers the fields that its endpoint states. */
export function listFlags<const Fields extends readonly string[]>(sortFields: Fields) {
  return {
    limit: {
      kind: 'integer',
      min: 0,
      max: 100,
      value: 'n',
      doc: 'at most this many rows; with --all the page size',
    },
    offset: { kind: 'integer', min: 0, value: 'n', doc: 'skip this many rows' },
    sort: { kind: 'choice', choices: sortFields, value: 'field', doc: 'order by this field' },
    dir: {
      kind: 'choice',
      choices: ['asc', 'desc'],
      value: 'direction',
      doc: 'direction of the order',
    },
    all: { kind: 'boolean', doc: 'read page after page to the end' },
  } as const satisfies FlagSpecs;
}

type ListFlags = FlagValues<ReturnType<typeof listFlags<readonly string[]>>>;

interface ListView {
  readonly columns: readonly Column[];
  /** What one row is called, plural: `orders`. */
  readonly noun: string;
  /** `--all` pages in this order unless told otherwise: without one, rows may move between pages. */
  readonly stableSort: string;
}

/** One request as asked for, or with `--all` every page. */
export async function listRows(
  ctx: Context,
  spec: EndpointSpec,
  flags: ListFlags,
  view: ListView,
): Promise<RowsResult> {
  const { limit, offset, sort, dir } = flags;
  const empty = `No ${view.noun}.`;
  if (flags.all) {
    if (limit === 0)
      throw new ProcError('invalid_usage', '--limit 0 with --all reads nothing, expected 1 to 100');
    const pages = ctx.pages(spec, {
      limit,
      offset,
      sort: sort ?? view.stableSort,
      dir: dir ?? 'asc',
    });
    return {
      kind: 'rows',
      columns: view.columns,
      rows: pages.rows,
      empty,
      failure: () => pages.failure(),
    };
  }
  const rows = (await ctx.callAny(spec, {
    query: { limit, offset, sort, dir },
  })) as RowsResult['rows'];
  if (limit !== undefined && limit > 0 && (rows as readonly unknown[]).length > limit) {
    ctx.say({
      kind: 'warning',
      text: `the service sent ${(rows as readonly unknown[]).length} rows where ${limit} were asked for: it does not know the limit by this name. If it has others, set a dialect: proc help contract`,
    });
  }
  return {
    kind: 'rows',
    columns: view.columns,
    rows,
    empty,
    footnote: (count) =>
      count > 0 ? `There may be more ${view.noun}: --all reads to the end.` : undefined,
  };
}
