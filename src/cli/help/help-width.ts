import type { Streams } from '../../core/ports.ts';

/** Lines of help are not longer than this: longer ones are hard to read. */
const WIDEST_HELP = 100;

/** Columns that help may take; as many as most terminals have where it goes to none. */
export function helpWidth({ columns }: Streams['stdout']): number {
  return Math.min(columns || 80, WIDEST_HELP);
}
