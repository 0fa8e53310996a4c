import type * as z from 'zod/mini';
import type { createRequisition } from './api.ts';

type Payload = z.input<typeof createRequisition.body>;

/**
 * What the contract allows but can hardly be meant, each with its field: a line with both or
 * neither of `itemId` and `item`, a group without lines, a delivery without an address.
 */
export function doubtsOf(payload: Payload): { field: string; message: string }[] {
  return payload.groups.flatMap((group, groupIndex) => {
    const at = `groups[${groupIndex}]`;
    const doubts: { field: string; message: string }[] = [];
    if (group.items.length === 0) doubts.push({ field: `${at}.items`, message: 'holds no item' });
    for (const [index, line] of group.items.entries()) {
      const field = `${at}.items[${index}]`;
      if (line.itemId !== undefined && line.item !== undefined) {
        doubts.push({ field, message: 'has both itemId and item; which one counts is not stated' });
      } else if (line.itemId === undefined && line.item === undefined) {
        doubts.push({ field, message: 'has neither itemId nor item, so it names nothing' });
      }
    }
    return doubts;
  });
}
