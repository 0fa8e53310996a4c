import type { Context } from '../../context.ts';
import type { FlagSpecs } from '../../core/command-spec.ts';
import { documentedFields, type EndpointSpec, nounOf } from '../../core/endpoint.ts';
import { ProcError } from '../../core/errors.ts';
import { textOf } from '../../core/numbers.ts';
import type { Column, Row, RowFilter, RowsResult, Sort } from '../../core/result.ts';
import { capital } from '../../core/wording.ts';
import { MAX_PAGE } from '../../listing/list-pages.ts';
import { NearRows } from '../../listing/near-rows.ts';
import { valueAt } from '../../output/cell.ts';

/** How much of a list is read, for help. @param filters such as `--where` */
export function readsOf(filters: string): string {
  return `A table on a terminal shows the first page. In a pipe, with --out, with --query and in formats for programs, proc reads the whole list. ${filters} reads until --limit is filled, or the whole list.`;
}

export const TEXT = {
  text: { doc: 'only rows with this text in a column of the table', optional: true },
} as const;

export const LIST_FLAGS = {
  all: { kind: 'boolean', doc: 'read all pages' },
} as const satisfies FlagSpecs;

interface ListView {
  readonly columns: readonly Column[];
  /** Plural name of the rows: `orders`. */
  readonly noun: string;
  /** The fields by which the service sorts. */
  readonly sorts: readonly string[];
  /** Its order if proc reads the whole list. Without a sort, rows may move between pages. */
  readonly stableSort: string;
  /** The order without `--sort`; of data that is read to its end, the order of the service. */
  readonly first?: Sort;
  readonly filter?: RowFilter | undefined;
  /** Print only rows with this text in a column. */
  readonly text: string | undefined;
}

/**
 * A list is whole, or says that it is not: read to its end, to `--limit`, or, with a note, the one page that
 * a table on a terminal shows.
 */
export async function listRows(
  ctx: Context,
  spec: EndpointSpec,
  { all }: { readonly all: boolean },
  view: ListView,
): Promise<RowsResult> {
  const { where, limit, sort: field, dir = 'asc' } = ctx.flags;
  const { noun, columns, text, stableSort, first } = view;
  const search = text === undefined ? undefined : textFilter(text, view);
  const filter = search ?? view.filter;
  const isTable = await ctx.io.showsTable();
  const asked = field === undefined ? undefined : { field, dir };
  const isOwnSort = asked !== undefined && !view.sorts.includes(asked.field);
  const isWhole = all || where.length > 0 || filter !== undefined || isOwnSort;
  // Only a part of the list needs the order of the service: the rows of the whole list stay in a stable one.
  const isPart = limit !== undefined || (isTable && !isWhole);
  const served = isOwnSort ? undefined : (asked ?? (isPart ? first : undefined));
  const order = served === undefined ? {} : { sort: served.field, dir: served.dir };
  const list = {
    kind: 'rows',
    ...{ noun, columns, fields: documentedFields(spec), filter },
    ...{ isSorted: served !== undefined, sort: isTable ? first : undefined },
  } as const;
  if (isPart && !isWhole && limit === undefined) {
    return firstPage(ctx, spec, order, asked === undefined, (rows, isLast) => ({
      ...list,
      rows,
      empty: `No ${noun}.`,
      footnote: () =>
        isLast ? undefined : `There may be more ${noun}. To read them all, add --all.`,
    }));
  }
  const isOnePage = !isWhole && limit !== undefined && limit <= MAX_PAGE;
  const query = {
    ...(isOnePage ? { limit } : { stableSort }),
    ...(asked === undefined && served !== undefined
      ? { stableSort: served.field, dir: served.dir }
      : order),
  };
  const pages = ctx.http().pages(spec, query);
  return {
    ...list,
    rows: pages.rows,
    empty: search === undefined ? `No ${noun}.` : () => search.none(),
    isCut: pages.isCut,
    failure: pages.failure,
  };
}

/** One page without a size. A service that refuses the order that proc prefers returns it in its own. */
async function firstPage(
  ctx: Context,
  spec: EndpointSpec,
  order: Row,
  isOptional: boolean,
  then: (rows: readonly Row[], isLast: boolean) => RowsResult,
): Promise<RowsResult> {
  const shown = async (query: Row) => {
    const rows = (await ctx.http().call(spec, { query })) as readonly Row[];
    const { paging } = (await ctx.target()).dialect(nounOf(spec));
    return then(rows, rows.length === 0 || paging === 'none');
  };
  try {
    return await shown(order);
  } catch (thrown) {
    if (!isOptional || !(thrown instanceof ProcError) || thrown.code !== 'refused') throw thrown;
    return shown({});
  }
}

interface TextView {
  /** Plural name of the rows: `orders`. */
  readonly noun: string;
  readonly columns: readonly Column[];
  /** Must keep a row, too. */
  readonly filter?: RowFilter | undefined;
}

/** Keeps the rows with a text in one of the columns, whatever its case. `none`: what to say if no row has it. */
export function textFilter(
  text: string,
  { noun, columns, filter }: TextView,
): RowFilter & { none(): string } {
  const near = new NearRows(noun);
  const wanted = text.toLowerCase();
  return {
    flags: [JSON.stringify(text), ...(filter?.flags ?? [])],
    fields: filter?.fields ?? [],
    keeps(row) {
      near.add([row]);
      // The other filter counts the rows that it sees.
      if (filter?.keeps(row) === false) return false;
      return columns.some(({ key }) => textOf(valueAt(row, key))?.toLowerCase().includes(wanted));
    },
    end: () => filter?.end(),
    warnings: () => filter?.warnings() ?? [],
    none: () => capital(near.describe(text) ?? `no ${noun}`).concat('.'),
  };
}
