import { command } from '../../context.ts';
import { EXIT, READ_CODES } from '../../core/errors.ts';
import { LIST_FLAGS, listRows, readsOf, TEXT } from '../shared/list-command.ts';
import { FILTER_FLAGS, listOrders, ORDER_COLUMNS } from './index.ts';

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
    const isFiltered = (flags.status ?? flags.since ?? flags.until) !== undefined;
    const filter = isFiltered
      ? (await import('./order-filter.ts')).orderFilter(flags, ctx.clock.now(), ctx.io.say)
      : undefined;
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
