import { command } from '../../core/command.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { listFlags, listRows, readsOf } from '../shared/list-command.ts';
import { listOrders, ORDER_COLUMNS } from './index.ts';
import { FILTER_FLAGS, orderFilter } from './order-filter.ts';

export const list = command({
  path: ['orders', 'list'],
  changes: 'nothing',
  prints: 'list',
  shape: ({ list, responseOf }) => list(responseOf(listOrders)),
  summary: 'List purchase orders',
  description: readsOf('A filter'),
  flags: {
    ...FILTER_FLAGS,
    ...listFlags(['createdAt', 'updatedAt', 'code']),
  },
  examples: [
    {
      run: 'proc orders list --status pending --since 30d --order-by amount:desc',
      doc: 'pending orders of the last 30 days, the largest first',
    },
    { run: 'proc orders list --all -o ndjson', doc: 'every order, one JSON object per line' },
  ],
  exitCodes: [...READ_CODES, EXIT.incomplete],
  endpoints: [listOrders],
  needs: ['io', 'api', 'self'],
  async run({ flags }, ports) {
    const filter = orderFilter(flags, ports.self.clock.now(), ports.io.say);
    const view = { columns: ORDER_COLUMNS, noun: 'orders', stableSort: 'code', filter };
    return listRows(ports, listOrders, flags, view);
  },
});
