import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Row, RowsResult } from '../../core/result.ts';
import { nearest } from '../../core/text/nearest.ts';
import { eachId } from '../shared/each-id.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { listFlags, listRows } from '../shared/list-command.ts';
import { rowsMeant } from '../shared/references/references.ts';
import { listOrders } from './api.ts';
import { ORDER_COLUMNS } from './columns.ts';
import { DIMENSIONS, type Dimension, Summary } from './order-totals.ts';
import { watchFrames } from './watch-frames.ts';

const list = command({
  path: ['orders', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List purchase orders',
  description:
    'Without --limit, --where or --all this is one request without paging parameters: the service decides how many rows it sends. --where reads the whole list, unless --offset or --page-size says which part.',
  flags: {
    ...listFlags(['createdAt', 'updatedAt', 'code']),
    watch: {
      kind: 'duration',
      value: 'time',
      doc: 'look again every so often (5s) and mark what changed, until Ctrl-C',
    },
  },
  examples: [
    { run: 'proc orders list', doc: 'the first page, as the service sends it' },
    {
      run: 'proc orders list --sort code --dir desc --limit 20 --offset 40',
      doc: 'a page of your own',
    },
    { run: 'proc orders list --all -o ndjson', doc: 'every order, one JSON line each' },
    {
      run: 'proc orders list --all --watch 5s',
      doc: 'the list every 5 seconds, with what changed marked',
    },
  ],
  exitCodes: [...READ_CODES, EXIT.incomplete],
  endpoints: [listOrders],
  async handler({ flags }, ctx) {
    const view = { columns: ORDER_COLUMNS, noun: 'orders', stableSort: 'code' };
    const look = () => listRows(ctx, listOrders, flags, view);
    if (flags.watch === undefined) return look();
    if (ctx.globals.out !== undefined) {
      throw new ProcError(
        'invalid_usage',
        '--watch has no end, so it cannot be written with --out',
        {
          hint: 'Redirect it: proc orders list --watch 5s -o ndjson > changes.ndjson',
        },
      );
    }
    const frames = watchFrames(
      ctx,
      { everyMs: flags.watch, limit: flags.limit },
      ORDER_COLUMNS,
      async () => collect(await look()),
    );
    return { kind: 'frames', frames };
  },
});

async function collect({ rows }: RowsResult): Promise<Row[]> {
  const all: Row[] = [];
  if (Symbol.asyncIterator in rows) for await (const page of rows) all.push(...page);
  else all.push(...rows);
  return all;
}

const get = command({
  path: ['orders', 'get'],
  changes: 'nothing',
  prints: 'list',
  summary: 'Show orders by code or id',
  description:
    'The service only lists orders, so they are looked for in the list: codes in the list sorted by code, ids in all of it.',
  args: {
    order: {
      doc: 'codes or ids of orders; - reads them from standard input',
      variadic: true,
      from: 'proc orders list',
    },
  },
  examples: [
    { run: 'proc orders get PO-00042', doc: 'by code' },
    { run: 'proc orders get PO-00042 po-7 -o json', doc: 'several, by code and by id' },
  ],
  exitCodes: READ_CODES,
  endpoints: [listOrders],
  async handler({ args }, ctx) {
    if (ctx.previewing) await ctx.call(listOrders, { query: { sort: 'code', dir: 'asc' } });
    const found = new Map<string, Row>();
    return eachId(ctx, args.order, ORDER_COLUMNS, async (id) => found.get(id)!, {
      async resolve(refs) {
        const meant = await rowsMeant(ctx, 'order', refs);
        return (ref) => {
          const row = meant(ref);
          if (row === undefined) throw noOrder(ref);
          const id = String(row.id);
          found.set(id, row);
          return id;
        };
      },
    });
  },
});

function noOrder(ref: string): ProcError {
  return new ProcError('not_found', `no order has the code or id ${JSON.stringify(ref)}`, {
    hint: 'See what there is: proc orders list --all --fields code,title,id',
  });
}

const summary = command({
  path: ['orders', 'summary'],
  changes: 'nothing',
  prints: 'list',
  summary: 'Add orders up by status, currency and month',
  description:
    'Reads all orders. Amounts are added as exact decimals and never across currencies. The month is that of createdAt, "unknown" where the service does not send it.',
  flags: {
    by: {
      kind: 'string',
      value: 'a,b',
      default: 'status,currency',
      doc: `what to group by: ${DIMENSIONS.join(', ')}`,
    },
  },
  examples: [
    { run: 'proc orders summary', doc: 'by status and currency' },
    { run: 'proc orders summary --by month,currency -o csv', doc: 'for a spreadsheet' },
  ],
  exitCodes: [...READ_CODES, EXIT.incomplete],
  endpoints: [listOrders],
  withoutIds: true,
  async handler({ flags }, ctx) {
    const totals = new Summary(dimensionsIn(flags.by));
    const pages = ctx.pages(listOrders, { sort: 'code', dir: 'asc' });
    for await (const page of pages.rows) for (const order of page) totals.add(order);
    const rows = totals.rows();
    const without = rows.reduce((sum, row) => sum + Number(row.withoutAmount), 0);
    if (without > 0)
      ctx.say({
        kind: 'warning',
        text: `${without === 1 ? '1 order carries no amount that can be added and counts' : `${without} orders carry no amount that can be added and count`} as 0`,
      });
    const columns = Object.keys(rows[0] ?? {}).filter(
      (key) => key !== 'amount' && key !== 'withoutAmount',
    );
    return {
      kind: 'rows',
      columns: [
        ...columns.map(
          (key) =>
            ({
              key,
              header: key.toUpperCase(),
              kind: key === 'orders' ? 'number' : 'text',
            }) as const,
        ),
        { key: 'amount', header: 'AMOUNT', kind: 'amount' },
        { key: 'amount', header: '', kind: 'bar', priority: 0 },
      ],
      rows,
      empty: 'No orders.',
      failure: pages.failure(),
    };
  },
});

function dimensionsIn(text: string): Dimension[] {
  const words = text.split(',').map((word) => word.trim());
  for (const word of words) {
    if (!(DIMENSIONS as readonly string[]).includes(word)) {
      const near = nearest(word, DIMENSIONS);
      throw new ProcError('invalid_usage', `--by ${text}: cannot group by "${word}"`, {
        hint: near === undefined ? `Known: ${DIMENSIONS.join(', ')}` : `Did you mean ${near}?`,
      });
    }
  }
  return [...new Set(words as Dimension[])];
}

export const commands = [list, get, summary];
