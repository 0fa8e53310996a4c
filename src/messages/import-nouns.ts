import { grouped } from '../core/text/decimal.ts';

/** What the counts of a run count. Only requisitions are made of several rows. */
export type Counted = 'rows' | 'requisitions';

const COUNTED = { rows: ['row', 'rows'], requisitions: ['requisition', 'requisitions'] } as const;

export function countedWord(count: number, counted: Counted): string {
  return COUNTED[counted][count === 1 ? 0 : 1];
}

/** E.g. `1 row`, `1,200 requisitions`. */
export function countOf(count: number, counted: Counted): string {
  return `${grouped(count)} ${countedWord(count, counted)}`;
}
