import { command } from '../../command.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { LIST_FLAGS, listRows, readsOf } from '../shared/list-command.ts';
import { TEXT } from '../shared/text-filter.ts';
import { listOrders, ORDER_COLUMNS } from './index.ts';
import { FILTER_FLAGS, orderFilter } from './order-filter.ts';

export const list = command({
  path: ['orders', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List purchase orders',
  description: `The newest orders come first; data of the whole list is in the order of the codes. ${readsOf('TEXT or a filter')}`,
  args: TEXT,
  flags: {
    ...FILTER_FLAGS,
    ...LIST_FLAGS,
  },
  examples: [
    {
      run: 'proc orders list --status pending --since 30d',
      doc: 'pending orders of the last 30 days',
    },
    { run: 'proc orders list litware', doc: 'orders with "litware" in a column' },
    { run: 'proc orders list --all -o ndjson', doc: 'every order, one JSON object per line' },
  ],
  exitCodes: [...READ_CODES, EXIT.incomplete],
  endpoints: [listOrders],
  async run(ctx, args, flags) {
    const filter = orderFilter(flags, ctx.clock.now(), ctx.io.say);
    const view = {
      columns: ORDER_COLUMNS,
      noun: 'orders',
      sorts: ['createdAt', 'updatedAt', 'code'],
      stableSort: 'code',
      first: { field: 'createdAt', dir: 'desc' } as const,
      filter,
      text: args.text,
    };
    return listRows(ctx, listOrders, flags, view);
  },
});
