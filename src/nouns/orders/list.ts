import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Say } from '../../core/ports.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { listFlags, listRows } from '../shared/list-command.ts';
import { listOrders } from './api.ts';
import { ORDER_COLUMNS } from './columns.ts';
import { FILTER_FLAGS, orderFilter } from './order-filter.ts';
import { watchFrames } from './watch-frames.ts';

export const list = command({
  path: ['orders', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List purchase orders',
  description:
    'By default proc sends one request, and the service decides how many rows it returns. Filters and --order-by read the whole list; with --offset or --page-size, only that part.',
  flags: {
    ...FILTER_FLAGS,
    ...listFlags(['createdAt', 'updatedAt', 'code']),
    watch: {
      kind: 'duration',
      value: 'time',
      doc: 'refresh at this interval, e.g. 5s, and mark changes',
    },
  },
  examples: [
    {
      run: 'proc orders list --status pending --since 30d --order-by amount:desc',
      doc: 'pending orders of the last 30 days, the largest first',
    },
    { run: 'proc orders list --all -o ndjson', doc: 'every order, one JSON object per line' },
    {
      run: 'proc orders list --all --watch 5s',
      doc: 'refresh every 5 seconds and mark changes',
    },
  ],
  exitCodes: [...READ_CODES, EXIT.incomplete],
  endpoints: [listOrders],
  needs: ['io', 'api', 'self'],
  async run({ flags }, ports) {
    const view = { columns: ORDER_COLUMNS, noun: 'orders', stableSort: 'code' };
    const list = (say: Say = () => undefined) => {
      const filter = orderFilter(flags, ports.self.clock.now(), say);
      return listRows(ports, listOrders, flags, { ...view, filter });
    };
    if (flags.watch === undefined) return list(ports.io.say);
    if (ports.self.flags.out !== undefined) {
      throw new ProcError(
        'invalid_usage',
        '--watch never ends, so it cannot be combined with --out',
        {
          hint: 'Redirect the output instead: proc orders list --watch 5s -o ndjson > changes.ndjson',
        },
      );
    }
    const first = await list(ports.io.say);
    if (first.kind !== 'rows') return first;
    const times = { everyMs: flags.watch, limit: flags.limit };
    return {
      kind: 'frames',
      frames: (left) => watchFrames(ports, times, ORDER_COLUMNS, first, list, left),
    };
  },
});
