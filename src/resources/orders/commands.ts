import { command } from '../../core/command.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { READ_CODES } from '../exit-code-sets.ts';
import { listFlags, listRows } from '../list-command.ts';
import { listOrders } from './api.ts';
import { ORDER_COLUMNS } from './columns.ts';

const list = command({
  path: ['orders', 'list'],
  summary: 'List purchase orders',
  description:
    'Without --limit or --all this is one request without paging parameters: the service decides how many rows it sends.',
  flags: listFlags(['createdAt', 'updatedAt', 'code']),
  examples: [
    { run: 'proc orders list', doc: 'the first page, as the service sends it' },
    {
      run: 'proc orders list --sort code --dir desc --limit 20 --offset 40',
      doc: 'a page of your own',
    },
    { run: 'proc orders list --all -o ndjson', doc: 'every order, one JSON line each' },
  ],
  exitCodes: [...READ_CODES, EXIT.incomplete],
  endpoints: [listOrders],
  handler: ({ flags }, ctx) =>
    listRows(ctx, listOrders, flags, {
      columns: ORDER_COLUMNS,
      noun: 'orders',
      stableSort: 'code',
    }),
});

export const commands = [list];
