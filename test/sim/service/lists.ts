import type { Random } from '../../support/random.ts';

/** How the lists of the service misbehave. */
export interface ListHabits {
  /** Lists show the state of this many ms ago. */
  readonly staleMs: number;
  /**
   * `asked`: as requested. `ignored`: always in order of creation. `shuffled`: in a different order each time.
   */
  readonly order: 'asked' | 'ignored' | 'shuffled';
  /** Maximum rows of a page, whatever is requested; 0: no maximum. */
  readonly cap: number;
  /** The list ends after this many rows. Missing in older stories. */
  readonly mostRows?: number;
  /** The list leaves out every record with a code that ends with this text. Missing in older stories. */
  readonly hides?: string;
  /** Pages after the first skip this many rows. */
  readonly skips: number;
  readonly isShort: boolean;
  /** Lists show codes in lower case. Missing in older stories. */
  readonly lowersCodes?: boolean;
}

export const HONEST: ListHabits = { staleMs: 0, order: 'asked', cap: 0, skips: 0, isShort: false };

/** The service handles this path instead of the requested one. */
export function listed(path: string, { cap, skips, order, mostRows }: ListHabits): string {
  const url = new URL(path, 'http://127.0.0.1');
  const limit = Number(url.searchParams.get('limit') ?? 0);
  const offset = Number(url.searchParams.get('offset') ?? 0);
  if (cap > 0 && limit > cap) url.searchParams.set('limit', String(cap));
  if (mostRows !== undefined) {
    const asked = url.searchParams.has('limit') ? limit : mostRows;
    url.searchParams.set('limit', String(Math.max(0, Math.min(asked, mostRows - offset))));
  }
  if (skips > 0 && offset > 0) url.searchParams.set('offset', String(offset + skips));
  if (order === 'ignored') {
    url.searchParams.delete('sort');
    url.searchParams.delete('dir');
  }
  return url.pathname + url.search;
}

/** The body of a list as the misbehaving service returns it. */
export function shown(text: string, habits: ListHabits, random: Random): string {
  const { order, isShort, lowersCodes = false } = habits;
  if (order !== 'shuffled' && !isShort && !lowersCodes) return text;
  let rows = JSON.parse(text) as Record<string, unknown>[];
  if (isShort && rows.length > 1) rows = rows.slice(0, -1);
  if (lowersCodes) rows = rows.map((row) => ({ ...row, code: String(row.code).toLowerCase() }));
  if (order === 'shuffled') {
    const drawn = rows.map((row) => ({ row, at: random() }));
    rows = drawn.sort((a, b) => a.at - b.at).map(({ row }) => row);
  }
  return JSON.stringify(rows);
}
