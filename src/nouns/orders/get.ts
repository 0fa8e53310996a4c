import { command } from '../../context.ts';
import { READ_CODES } from '../../core/errors.ts';
import { eachRecord } from '../shared/each-record.ts';
import { rowsMeant } from '../shared/references.ts';
import { listOrders, ORDER_COLUMNS } from './index.ts';

export const get = command({
  path: ['orders', 'get'],
  changes: 'nothing',
  prints: 'list',
  summary: 'Show orders by code or id',
  description:
    'The service returns orders only as a list, so proc searches the list. For a code, proc sends a few requests; for an id, it reads the whole list.',
  args: {
    order: {
      doc: 'codes or ids of orders; - for stdin',
      variadic: true,
      from: 'proc orders list',
    },
  },
  examples: [
    { run: 'proc orders get PO-00042', doc: 'by code' },
    { run: 'proc orders get PO-00042 po-7 -o json', doc: 'two orders, by code and by id' },
  ],
  exitCodes: READ_CODES,
  endpoints: [listOrders],
  run: (ctx, args) =>
    eachRecord(
      ctx,
      {
        ...{ refs: args.order, columns: ORDER_COLUMNS, reads: listOrders },
        resolve: (refs) => rowsMeant(ctx, listOrders, refs),
      },
      async (_id, row, record) => record(row),
    ),
});
