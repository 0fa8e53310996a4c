import { command } from '../../../command.ts';
import type { Context } from '../../../context.ts';
import { idText } from '../../../core/service/same-value.ts';
import type { Settled } from '../../../write.ts';
import { write } from '../../../write.ts';
import { WRITE_CODES } from '../../shared/exit-code-sets.ts';
import { recordName } from '../../shared/record-name.ts';
import { listLines, removeLine } from '../index.ts';
import { groupNameOf, type KnownParts, knownParts, linesAfter, titleOf } from '../known-parts.ts';
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
    const order = ctx.io.terminal.interactive ? await orderIn(parts, args, ctx) : '';
    const what = `delete ${order === '' ? `line ${args.line}` : `${order} (${args.line})`} from ${groupNameOf(parts, args.group)} of ${titleOf(parts)}`;
    return write(
      ctx,
      removeLine,
      { params: { ...params, itemId: args.line } },
      { what, settle },
      () => ({ kind: 'record', value: { id: args.line, deleted: true } }),
    );
  },
});

/** Quantity and item of a line that this machine added; empty for other lines. */
async function orderIn(
  { groups }: KnownParts,
  { group, line }: { readonly group: string; readonly line: string },
  ctx: Context,
): Promise<string> {
  const lines = groups.filter(({ id }) => id === group).flatMap((one) => one.lines);
  const { itemId, quantity } = lines.find(({ id }) => id === line) ?? {};
  if (typeof itemId !== 'string') return '';
  const { namedItems } = await import('../../../compose/line-name.ts');
  const items = await namedItems([itemId], ctx);
  return `${quantity} × ${recordName({ ...(items.get(itemId) ?? { id: itemId }) })}`;
}
