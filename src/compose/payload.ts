import type * as z from 'zod/mini';
import type { createRequisition } from '../nouns/requisition/index.ts';

export type Payload = z.input<typeof createRequisition.body>;
export type Line = Payload['groups'][number]['items'][number];

/** A payload that may still be incomplete or wrong. A later check of the whole body reports that. */
export type Fields = Readonly<Record<string, unknown>>;

export function groupsIn({ groups }: Fields): readonly Fields[] {
  return Array.isArray(groups) ? groups : [];
}

/**
 * Finds valid but suspicious parts: e.g. a group without lines, or an item that appears twice in a group.
 */
export function payloadWarnings(payload: Payload): { field: string; message: string }[] {
  return payload.groups.flatMap((group, groupIndex) => {
    const at = `groups[${groupIndex}]`;
    const warnings: { field: string; message: string }[] = [];
    if (group.items.length === 0) warnings.push({ field: `${at}.items`, message: 'is empty' });
    const first = new Map<string, number>();
    for (const [index, line] of group.items.entries()) {
      const earlier = line.itemId === undefined ? undefined : first.get(line.itemId);
      if (earlier !== undefined) {
        warnings.push({
          field: `${at}.items[${index}]`,
          message: `orders the same item as ${at}.items[${earlier}], so it is ordered twice`,
        });
      } else if (line.itemId !== undefined) first.set(line.itemId, index);
      const field = `${at}.items[${index}]`;
      if (line.itemId !== undefined && line.item !== undefined) {
        warnings.push({
          field,
          message: 'has both itemId and item; the service decides which one it uses',
        });
      } else if (line.itemId === undefined && line.item === undefined) {
        warnings.push({ field, message: 'has neither itemId nor item, so it orders nothing' });
      }
    }
    return warnings;
  });
}
