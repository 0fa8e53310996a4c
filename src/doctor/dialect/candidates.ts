export const LIMIT_NAMES = [
  'limit',
  'pageSize',
  'page_size',
  'perPage',
  'per_page',
  'size',
  'max',
  'count',
  'take',
  'top',
  'first',
  'maxResults',
  'max_results',
  'pageLimit',
  'page_limit',
  'rows',
  'page[size]',
  'page[limit]',
  '$top',
] as const;

/**
 * Names of row offsets and of page numbers. Only the effect shows which of the two a parameter is.
 */
export const POSITION_NAMES = [
  'offset',
  'skip',
  'start',
  'from',
  'startIndex',
  'start_index',
  'startAt',
  'firstResult',
  '$skip',
  'page[offset]',
  'page',
  'pageNumber',
  'page_number',
  'pageIndex',
  'page_index',
  'pageNo',
  'currentPage',
  'p',
  'page[number]',
] as const;

export const SORT_NAMES = [
  'sort',
  'sortBy',
  'sort_by',
  'orderBy',
  'order_by',
  'sortField',
  'sort_field',
  'orderField',
  'order_field',
  'sortColumn',
  'sortKey',
  'order',
  'ordering',
  '$orderby',
] as const;

export const DIR_NAMES = [
  'dir',
  'direction',
  'order',
  'sortDir',
  'sort_dir',
  'sortDirection',
  'sort_direction',
  'sortOrder',
  'sort_order',
  'orderDir',
  'order_dir',
  'orderDirection',
  'order_direction',
  'sort',
  'ordering',
] as const;

/**
 * The configured name first, then the common names. Leaves out `taken`, the names that are already
 * known to mean something else.
 */
export function inOrder(
  configured: string | undefined,
  names: readonly string[],
  taken: readonly (string | undefined)[] = [],
): readonly string[] {
  const all = new Set(configured === undefined ? names : [configured, ...names]);
  for (const name of taken) if (name !== undefined) all.delete(name);
  return [...all];
}
