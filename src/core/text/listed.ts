/**
 * The first items, and a mark if there are more: `a, b, …`.
 *
 * @param count of all items, if `items` are only the first of them
 */
export function listed(
  items: readonly (string | number)[],
  most: number,
  separator = ', ',
  count = items.length,
): string {
  const shown = items.slice(0, most);
  return shown.join(separator) + (count > shown.length ? `${separator}…` : '');
}

/** The first items, and the number of the others: `a; b; and 3 more`. */
export function listedAndMore(
  items: readonly (string | number)[],
  most: number,
  separator = '; ',
): string {
  const more = items.length - most;
  return items.slice(0, most).join(separator) + (more > 0 ? `${separator}and ${more} more` : '');
}
