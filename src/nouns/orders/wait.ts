import { command } from '../../command.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { listOrders } from './index.ts';

export const wait = command({
  path: ['orders', 'wait'],
  changes: 'nothing',
  prints: 'list',
  summary: 'Wait until orders meet conditions',
  description:
    'Reads the orders again and again until all of them meet every --for; with --any, until one does. If a read fails, proc reads again. After --within, proc prints the orders as it last read them and exits 7 (timed_out).',
  args: {
    order: { doc: 'codes or ids of orders', variadic: true, from: 'proc orders list' },
  },
  flags: {
    for: {
      kind: 'strings',
      value: 'condition',
      doc: 'wait until this is true, e.g. status=complete; operators as in --where',
    },
    within: { kind: 'duration', value: 'time', defaultText: '10m', doc: 'give up after this time' },
    every: { kind: 'duration', value: 'time', defaultText: '10s', doc: 'time between two reads' },
    any: { kind: 'boolean', doc: 'end as soon as one of the orders meets the conditions' },
  },
  examples: [
    {
      run: 'proc orders wait PO-00042 --for status=complete --within 10m',
      doc: 'until the order is complete, at most 10 minutes',
    },
    {
      run: 'proc orders wait PO-00042 PO-00043 --for status=complete --any --every 30s',
      doc: 'until one of two orders is complete, reading every 30 seconds',
    },
  ],
  exitCodes: READ_CODES,
  endpoints: [listOrders],
  async run(ctx, args, flags) {
    const { waitForOrders } = await import('./order-watch.ts');
    return waitForOrders(ctx, args.order, flags);
  },
});
