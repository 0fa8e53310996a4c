import { grouped } from './decimal.ts';

/** The first items, and a mark if there are more: `a, b, …`. */
export function listed(
  items: readonly (string | number)[],
  most: number,
  separator = ', ',
): string {
  return someOf(items.slice(0, most), items.length, separator);
}

/** Items of which `shown` are the first, and a mark if there are more. */
export function someOf(
  shown: readonly (string | number)[],
  count: number,
  separator = ', ',
): string {
  return shown.join(separator) + (count > shown.length ? `${separator}…` : '');
}

/** The first items, and the number of the others: `a; b; and 3 more`. */
export function listedAndMore(
  items: readonly (string | number)[],
  most: number,
  separator = '; ',
): string {
  const more = items.length - most;
  return (
    items.slice(0, most).join(separator) + (more > 0 ? `${separator}and ${grouped(more)} more` : '')
  );
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
