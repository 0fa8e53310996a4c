import type { FlagSpecs, FlagValues } from '../../core/command-spec.ts';
import { documentedFields, type EndpointSpec, nounOf } from '../../core/endpoint.ts';
import { ProcError } from '../../core/errors.ts';
import type { Ports, Say } from '../../core/ports.ts';
import type { Column, Row, RowFilter, RowsResult, ShownRequest } from '../../core/result.ts';
import { isOutOfOrder } from '../../listing/comparators.ts';
import { MAX_PAGE } from '../../listing/list-reader.ts';
import { TextFilter } from './text-filter.ts';

/** How much of a list is read, for help. @param filters such as `--where` */
export function readsOf(filters: string): string {
  return `A table on a terminal shows the first page. In a pipe, with --out, with --query and in formats for programs, proc reads the whole list. ${filters} reads until --limit is filled, or the whole list.`;
}

/** Paging and sorting flags of a list. `sort` offers the fields that its endpoint documents. */
export function listFlags<const Fields extends readonly string[]>(sortFields: Fields) {
  return {
    limit: {
      kind: 'integer',
      min: 0,
      value: 'n',
      doc: 'print at most this many rows',
    },
    sort: {
      kind: 'choice',
      choices: sortFields,
      value: 'field',
      doc: 'sort field',
    },
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
  /** Print only rows with this text in a column. */
  readonly text: string | undefined;
}

/**
 * A list is whole, or says that it is not: read to its end, to `--limit`, or, with a note, the one page that
 * a table on a terminal shows.
 */
export async function listRows(
  ports: Ports<'io' | 'api' | 'self'>,
  spec: EndpointSpec,
  flags: ListFlags,
  view: ListView,
): Promise<RowsResult | ShownRequest> {
  const { limit, sort, dir, all } = flags;
  const { noun, columns, text } = view;
  const search = text === undefined ? undefined : new TextFilter(text, view);
  const filter = search ?? view.filter;
  const list = {
    kind: 'rows',
    noun,
    columns,
    fields: documentedFields(spec),
    empty: search === undefined ? `No ${noun}.` : () => search.none('part'),
    limit,
    filter,
  } as const;
  const more = `There may be more ${noun}. To read them all, add --all.`;
  const { where } = ports.self.flags;
  const readsAll = where.length > 0 || filter !== undefined;
  const isData = !(await ports.io.showsTable());
  if (all || (limit !== 0 && (readsAll || limit !== undefined || isData))) {
    if (limit === 0) {
      throw new ProcError(
        'invalid_usage',
        '--limit 0 cannot be combined with reading the whole list',
        { hint: 'Remove --limit, or use 1 or more' },
      );
    }
    // A page of the service's own order is enough if it fills the limit.
    const isOnePage = !all && !readsAll && limit !== undefined && limit <= MAX_PAGE;
    const stableSort = isOnePage ? undefined : view.stableSort;
    const size = isOnePage ? limit : undefined;
    return ports.api.list(spec, { limit: size, sort, dir, stableSort }, (pages) => ({
      ...list,
      rows: inOrder(pages.rows, { sort, dir }, ports.io.say),
      ...(search === undefined
        ? {}
        : { empty: () => search.none(pages.complete() ? 'whole' : 'part') }),
      isCut: pages.isCut,
      failure: pages.failure,
      footnote: (count) => (all || readsAll || count !== limit ? undefined : more),
    }));
  }
  return ports.api.read(spec, { query: { limit, sort, dir } }, async (response) => {
    const rows = response as readonly Row[];
    const { paging } = (await ports.api.target()).dialect(nounOf(spec));
    warnOfOrder(rows, { sort, dir }, ports.io.say);
    const isOpen = rows.length > 0 && paging !== 'none';
    return { ...list, rows, footnote: () => (isOpen ? more : undefined) };
  });
}

async function* inOrder(pages: AsyncIterable<readonly Row[]>, order: Row, say: Say) {
  let isFirst = true;
  for await (const page of pages) {
    if (isFirst) warnOfOrder(page, order, say);
    isFirst = false;
    yield page;
  }
}

function warnOfOrder(rows: readonly Row[], order: Row, say: Say): void {
  if (!isOutOfOrder(rows, order)) return;
  const text = `the service did not sort the rows by ${order.sort}`;
  say({ kind: 'warning', text });
}
