import type { Random } from '../machine/random.ts';

/** How the lists of the service misbehave. */
export interface ListHabits {
  /** They show what was so long ago, ms. */
  readonly staleMs: number;
  /** As asked for; in the order of creation, whatever is asked; or in another order each time. */
  readonly order: 'asked' | 'ignored' | 'shuffled';
  /** No page has more rows than this; 0: as asked for. */
  readonly cap: number;
  /** Pages begin so many rows further on than asked. */
  readonly skips: number;
  /** Rows of a page carry the id of its first row, with this chance. */
  readonly sameIds: number;
  /** A page leaves its last row out. */
  readonly isShort: boolean;
}

export const HONEST: ListHabits = {
  staleMs: 0,
  order: 'asked',
  cap: 0,
  skips: 0,
  sameIds: 0,
  isShort: false,
};

/** The request as the service understands it. */
export function listed(path: string, { cap, skips, order }: ListHabits): string {
  const url = new URL(path, 'http://127.0.0.1');
  const limit = Number(url.searchParams.get('limit') ?? 0);
  const offset = Number(url.searchParams.get('offset') ?? 0);
  if (cap > 0 && limit > cap) url.searchParams.set('limit', String(cap));
  if (skips > 0 && offset > 0) url.searchParams.set('offset', String(offset + skips));
  if (order === 'ignored') url.searchParams.delete('sort');
  return url.pathname + url.search;
}

/** The answer as the service shows it. */
export function shown(text: string, habits: ListHabits, random: Random): string {
  const { order, sameIds, isShort } = habits;
  if (order !== 'shuffled' && sameIds === 0 && !isShort) return text;
  let rows = JSON.parse(text) as Record<string, unknown>[];
  if (isShort && rows.length > 1) rows = rows.slice(0, -1);
  if (sameIds > 0) {
    rows = rows.map((row) => (random() < sameIds ? { ...row, id: rows[0]!.id } : row));
  }
  if (order === 'shuffled') {
    const drawn = rows.map((row) => ({ row, at: random() }));
    rows = drawn.sort((a, b) => a.at - b.at).map(({ row }) => row);
  }
  return JSON.stringify(rows);
}
