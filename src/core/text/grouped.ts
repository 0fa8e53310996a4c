/** A count for people: thousands separated by commas. `12345` → `12,345`. */
export function grouped(count: number | string): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
