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

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
