import { type Context, command } from '../../../context.ts';
import { WRITE_CODES } from '../../../core/errors.ts';
import { idText } from '../../../core/json.ts';
import type { Row } from '../../../core/result.ts';
import { type Settled, write } from '../../../write.ts';
import { recordName } from '../../shared/references.ts';
import { listLines, removeLine } from '../index.ts';
import { knownParts, linesAfter, withId } from '../known-parts.ts';
import { GROUP, REQUISITION } from '../requisition-args.ts';

export const itemRemove = command({
  path: ['requisition', 'item', 'remove'],
  changes: 'service',
  prints: 'record',
  summary: 'Remove an item from a group',
  args: { requisition: REQUISITION, group: GROUP, line: { doc: 'id of the line item' } },
  examples: [
    {
      run: 'proc requisition item remove req-1 grp-1 lin-1',
      doc: 'by ids of requisition, group and line',
    },
    {
      run: 'proc requisition item remove req-1 grp-1 lin-1 --dry-run',
      doc: 'show the request, send nothing',
    },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [removeLine, listLines],
  async run(ctx, args) {
    const parts = await knownParts(args.requisition, ctx);
    const params = { id: parts.id, groupId: args.group };
    const settle = async (): Promise<Settled | undefined> => {
      const lines = await linesAfter(ctx, params);
      if (lines === undefined) return undefined;
      const isThere = lines.some(({ id }) => idText(id) === args.line);
      const seen = `line ${args.line} is ${isThere ? 'still there' : 'gone'}`;
      return { is: isThere ? 'not done' : 'done', seen };
    };
    const order = await orderOf(parts.line(args.line), ctx);
    const what = `delete ${order === undefined ? `line ${args.line}` : withId(order, args.line)} from ${parts.groupName(args.group)} of ${parts.title}`;
    return write(
      ctx,
      removeLine,
      { params: { ...params, itemId: args.line } },
      { what, settle },
      () => ({ kind: 'record', value: { id: args.line, deleted: true } }),
    );
  },
});

/** Quantity and item of a line that this machine added by itself. */
async function orderOf({ itemId, quantity }: Row = {}, ctx: Context): Promise<string | undefined> {
  if (typeof itemId !== 'string' || !ctx.io.terminal.interactive) return undefined;
  const { namedItems } = await import('../../../compose/line-name.ts');
  const items = await namedItems([itemId], ctx);
  return `${quantity} × ${recordName({ ...(items.get(itemId) ?? { id: itemId }) })}`;
}
