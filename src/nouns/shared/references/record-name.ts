import type { Row } from '../../../core/result.ts';
import { textOf } from '../../../listing/match-reference.ts';

/**
 * What people call a record: `BA-8327 "BB Ball Bearing"`, `adr-1 "Alpine, California"`. Only the id if
 * nothing else is known.
 */
export function recordName({ id, code, key, name, title, formattedAddress }: Row): string {
  const [short = ''] = [code, key, id].flatMap((one) => textOf(one) || []);
  const [long] = [name, title, formattedAddress].flatMap((one) => textOf(one) || []);
  return [short, long === undefined ? '' : `"${long}"`].filter(Boolean).join(' ');
}
