import { textOf } from '../../core/numbers.ts';
import type { Row } from '../../core/result.ts';
import { truncate } from '../../terminal/width.ts';

/** A name of the service may be of any length, and a question must fit on the screen. */
const LONGEST = 60;

/**
 * What people call a record: `BA-8327 "BB Ball Bearing"`, `adr-1 "Alpine, California"`. Only the id if
 * nothing else is known.
 */
export function recordName({ id, code, key, name, title, formattedAddress }: Row): string {
  const [short = ''] = [code, key, id].flatMap((one) => textOf(one) || []);
  const [long] = [name, title, formattedAddress].flatMap((one) => textOf(one) || []);
  const named = long === undefined ? '' : `"${truncate(long, LONGEST)}"`;
  return [truncate(short, LONGEST), named].filter(Boolean).join(' ');
}
