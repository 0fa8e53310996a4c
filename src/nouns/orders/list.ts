import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { listFlags, listRows } from '../shared/list-command.ts';
import { listOrders } from './api.ts';
import { ORDER_COLUMNS } from './columns.ts';
import { watchFrames } from './watch-frames.ts';

export const list = command({
  path: ['orders', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List purchase orders',
  description:
    'Without --limit, --where or --all, proc sends one request and the service decides how many rows to return. --where reads the whole list, unless --offset or --page-size selects a part.',
  flags: {
    ...listFlags(['createdAt', 'updatedAt', 'code']),
    watch: {
      kind: 'duration',
      value: 'time',
      doc: 'refresh at this interval, e.g. 5s, and mark changes',
    },
  },
  examples: [
    { run: 'proc orders list', doc: 'the first page' },
    {
      run: 'proc orders list --sort code --dir desc --limit 20 --offset 40',
      doc: '20 orders, starting at the 41st',
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
    const list = () => listRows(ports, listOrders, flags, view);
    if (flags.watch === undefined) return list();
    if (ports.self.flags.out !== undefined) {
      throw new ProcError(
        'invalid_usage',
        '--watch never ends, so it cannot be combined with --out',
        {
          hint: 'Redirect the output instead: proc orders list --watch 5s -o ndjson > changes.ndjson',
        },
      );
    }
    const first = await list();
    if (first.kind !== 'rows') return first;
    const times = { everyMs: flags.watch, limit: flags.limit };
    return { kind: 'frames', frames: watchFrames(ports, times, ORDER_COLUMNS, first, list) };
  },
});
