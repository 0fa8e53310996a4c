import { command } from '../../core/command.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { findRows } from '../shared/references/find-rows.ts';
import { listOrders, ORDER_COLUMNS } from './index.ts';

export const find = command({
  path: ['orders', 'find'],
  changes: 'nothing',
  prints: 'list',
  shape: ({ list, responseOf }) => list(responseOf(listOrders)),
  summary: 'Find orders by part of their code or title',
  description: 'The service has no search, so proc reads all orders.',
  args: { text: { doc: 'part of the code or title; case is ignored' } },
  examples: [
    { run: 'proc orders find litware', doc: 'orders with "litware" in code or title' },
    { run: 'proc orders find PO-0004 -o id', doc: 'only the ids' },
  ],
  exitCodes: [...READ_CODES, EXIT.incomplete],
  endpoints: [listOrders],
  needs: ['api'],
  run: ({ args }, ports) =>
    findRows(
      ports,
      { list: listOrders, noun: 'orders', fields: ['code', 'title'], columns: ORDER_COLUMNS },
      args.text,
    ),
});
