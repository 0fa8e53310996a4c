import { command } from '../../command.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { listOrders } from './index.ts';

export const changes = command({
  path: ['orders', 'changes'],
  changes: 'local',
  prints: 'list',
  summary: 'Show new and changed orders since a snapshot',
  description:
    'Reads all orders and compares status, amount and currency with those of a snapshot. If the list may be incomplete, proc reports no order as gone.',
  flags: {
    since: {
      kind: 'string',
      value: 'name|file',
      doc: 'compare with this snapshot, or with a file of orders',
    },
    save: { kind: 'string', value: 'name', doc: 'save the orders as a snapshot afterwards' },
    exitCode: { kind: 'boolean', doc: 'exit 8 if anything changed' },
  },
  examples: [
    { run: 'proc orders changes --since daily --save daily', doc: 'for a daily mail' },
    {
      run: 'proc orders changes --since examples/orders-last-week.csv',
      doc: 'since an export of last week',
    },
  ],
  exitCodes: [...READ_CODES, EXIT.someRejected, EXIT.incomplete],
  endpoints: [listOrders],
  async run(ctx, _args, flags) {
    const { reportChanges } = await import('./changes/report-changes.ts');
    return reportChanges(flags, ctx);
  },
});
