import { requisitionId } from '../../../compose/earlier.ts';
import { command } from '../../../context.ts';
import { READ_CODES } from '../../../core/errors.ts';
import { LINE_COLUMNS, listLines } from '../index.ts';
import { GROUP, REQUISITION } from '../requisition-args.ts';

export const itemList = command({
  path: ['requisition', 'item', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List the line items of a group',
  args: { requisition: REQUISITION, group: GROUP },
  examples: [
    {
      run: 'proc requisition item list req-1 grp-1',
      doc: 'a table on a terminal, JSON otherwise',
    },
    { run: 'proc requisition item list req-1 grp-1 -o id', doc: 'only the ids' },
  ],
  exitCodes: READ_CODES,
  endpoints: [listLines],
  async run(ctx, args) {
    const params = { id: await requisitionId(args.requisition, ctx), groupId: args.group };
    const rows = await ctx.http().call(listLines, { params });
    return { kind: 'rows', columns: LINE_COLUMNS, rows, empty: 'No items in this group.' };
  },
});
