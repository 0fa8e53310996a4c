import { command } from '../../command.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { listOrders } from './index.ts';
import { FILTER_FLAGS } from './order-filter.ts';

const DIMENSIONS = { status: 'its status', currency: 'its currency', month: 'when it was created' };

export const summary = command({
  path: ['orders', 'summary'],
  changes: 'nothing',
  prints: 'list',
  page: true,
  summary: 'Total orders by status, currency or month',
  description:
    'Reads all orders. proc adds amounts as exact decimals, never across currencies. Rows are sorted by the dimensions, in the order of --by. --out orders.html writes a page to mail or to print, which also has amounts by month and the largest orders.',
  flags: {
    by: {
      kind: 'strings',
      value: 'a,b',
      choices: DIMENSIONS,
      defaultText: 'status,currency',
      doc: 'group by these, separated by commas',
    },
    ...FILTER_FLAGS,
  },
  examples: [
    { run: 'proc orders summary', doc: 'by status and currency' },
    {
      run: 'proc orders summary --by month --status complete --since 365d',
      doc: 'orders with the status complete, by month',
    },
    {
      run: 'proc orders summary --out orders.html',
      doc: 'a page to mail or to print',
    },
  ],
  exitCodes: [...READ_CODES, EXIT.incomplete],
  endpoints: [listOrders],
  async run(ctx, _args, flags) {
    return (await import('./sum-orders.ts')).sumOrders(ctx, flags);
  },
});
